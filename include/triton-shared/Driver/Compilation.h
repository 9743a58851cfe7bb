//===- Compilation.h - From a source to all that it becomes -----*- C++ -*-===//
//
// The way that the tool, the C interface and with it Python go: through the
// phases, to code, with the reports that were asked for.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DRIVER_COMPILATION_H
#define TRITON_SHARED_DRIVER_COMPILATION_H

#include "triton-shared/Driver/CompileOptions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace mlir::triton_shared {

/// What one compilation leaves, also if it fails on the way.
struct Compilation {
  /// Texts and code by phase, reports by their word.
  llvm::StringMap<std::string> artefacts;
  /// What a launcher must know about the kernel, once that has been seen.
  std::optional<llvm::json::Object> kernel;
  /// For a GPU: what ptxas said about registers and spills.
  std::string assemblerLog;
};

/// Takes `module` from the phase that it is in as far as `options` say. What is
/// wrong with it is told to the handlers of its context.
LogicalResult compile(ModuleOp module, const CompileOptions &options,
                      Compilation &result);

/// Makes code of LLVM IR as phase `llir` leaves it. Gives what is wrong with
/// it, or nothing.
std::string compileLlvmIr(StringRef text, const CompileOptions &options,
                          Compilation &result);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_DRIVER_COMPILATION_H
