//===- ObjectWriter.h - From the LLVM dialect to an object file -*- C++ -*-===//

#ifndef TRITON_SHARED_TARGET_OBJECTWRITER_H
#define TRITON_SHARED_TARGET_OBJECTWRITER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace mlir::triton_shared {

/// What phase `llir` becomes on the host CPU.
struct HostObject {
  /// The optimised LLVM IR as text.
  std::string llvmIr;
  /// An ELF object file.
  llvm::SmallVector<char, 0> object;
};

/// Translates a module in phase `llir` to LLVM IR, optimises it and makes an
/// object file of it for the CPU of this machine. Nothing after a failure,
/// which is reported on `module`.
std::optional<HostObject> writeHostObject(ModuleOp module);

/// The CPU of this machine and its features, as LLVM names them; objects are
/// made for it.
std::string describeHost();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_OBJECTWRITER_H
