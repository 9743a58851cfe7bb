//===- Machines.h - LLVM's targets and what they emit -----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_MACHINES_H
#define TRITON_SHARED_LIB_TARGET_MACHINES_H

#include "triton-shared/Target/CompileTarget.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

namespace mlir::triton_shared {

/// A machine for the CPU `cpu` with `features`; both may be empty, where the
/// functions of a module name them. Nothing after a failure, which is then told
/// in `error`.
std::unique_ptr<llvm::TargetMachine>
createCpuMachine(const llvm::Triple &triple, llvm::StringRef cpu,
                 llvm::StringRef features, std::string &error);

/// The same for the GPU of `target`.
std::unique_ptr<llvm::TargetMachine>
createGpuMachine(const llvm::Triple &triple, const CompileTarget &target,
                 std::string &error);

/// Writes `module` as a file of `type`; false if the machine has none.
bool emitCode(llvm::Module &module, llvm::TargetMachine &machine,
              llvm::CodeGenFileType type, llvm::SmallVectorImpl<char> &code);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_MACHINES_H
