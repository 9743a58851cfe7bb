//===- ObjectWriter.h - From the LLVM dialect to an object file -*- C++ -*-===//

#ifndef TRITON_SHARED_TARGET_OBJECTWRITER_H
#define TRITON_SHARED_TARGET_OBJECTWRITER_H

#include "mlir/IR/BuiltinOps.h"
#include "triton-shared/Target/IrLines.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace mlir::triton_shared {

class CpuTarget;

/// What phase `llir` becomes on a CPU.
struct CpuObject {
  /// The optimised LLVM IR as text.
  std::string llvmIr;
  /// Which of its lines come from which places, if the module says so.
  std::vector<IrLine> llvmIrLines;
  /// An ELF object file.
  llvm::SmallVector<char, 0> object;
};

/// Translates a module in phase `llir` to LLVM IR, optimises it and makes an
/// object file of it for `cpu`, which must be of this machine's kind. Nothing
/// after a failure, which is reported on `module`.
std::optional<CpuObject> writeObject(ModuleOp module, const CpuTarget &cpu);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_OBJECTWRITER_H
