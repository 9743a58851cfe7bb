//===- Optimise.cpp - The usual optimisations of LLVM ---------------------===//

#include "Optimise.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

void mlir::triton_shared::optimise(llvm::Module &module,
                                   llvm::TargetMachine &machine,
                                   llvm::OptimizationLevel level,
                                   llvm::PipelineTuningOptions tuning) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}
