//===- Optimise.h - The usual optimisations of LLVM -------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_OPTIMISE_H
#define TRITON_SHARED_LIB_TARGET_OPTIMISE_H

#include "llvm/Passes/PassBuilder.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::triton_shared {

/// True if some function has more than `count` instructions.
bool hasMoreInstructions(const llvm::Module &module, unsigned count);

/// True if some function has `count` instructions or more for which `holds`.
bool hasManyOf(const llvm::Module &module, unsigned count,
               llvm::function_ref<bool(const llvm::Instruction &)> holds);

/// What passes ask about code. All kinds of analyses know of each other.
struct Analyses {
  explicit Analyses(llvm::PassBuilder &builder);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
};

/// Runs LLVM's default pipeline of `level`, as it is for `machine`, but for
/// passes whose time would grow with the square of the length of long code.
void optimise(llvm::Module &module, llvm::TargetMachine &machine,
              llvm::OptimizationLevel level,
              llvm::PipelineTuningOptions tuning = {});

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_OPTIMISE_H
