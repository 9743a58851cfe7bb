//===- Optimise.cpp - The usual optimisations of LLVM ---------------------===//

#include "Optimise.h"

#include "BoundedFloats.h"
#include "WholeLoads.h"
#include "WideVectors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Target/TargetMachine.h"

/// The instructions, the blocks and, for a GPU, the stores of a function from
/// which on passes are left out that look at many of them for each of many.
static constexpr unsigned kManyInstructions = 16384;
static constexpr size_t kManyBlocks = 2000;
static constexpr unsigned kManyStores = 32;

bool mlir::triton_shared::hasMoreInstructions(const llvm::Module &module,
                                              unsigned count) {
  return llvm::any_of(module, [&](const llvm::Function &function) {
    return function.getInstructionCount() > count;
  });
}

bool mlir::triton_shared::hasManyOf(
    const llvm::Module &module, unsigned count,
    llvm::function_ref<bool(const llvm::Instruction &)> holds) {
  return llvm::any_of(module, [&](const llvm::Function &function) {
    return llvm::hasNItemsOrMore(
        llvm::make_filter_range(llvm::instructions(function), holds), count);
  });
}

/// Stores of tiles, in which each thread writes nothing twice.
static bool isStore(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return llvm::isa<llvm::StoreInst>(instruction) ||
         (call && call->isInlineAsm() && call->mayWriteToMemory());
}

static bool hasManyBlocks(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.size() > kManyBlocks;
  });
}

mlir::triton_shared::Analyses::Analyses(llvm::PassBuilder &builder) {
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
}

void mlir::triton_shared::optimise(llvm::Module &module,
                                   llvm::TargetMachine &machine,
                                   llvm::OptimizationLevel level,
                                   llvm::PipelineTuningOptions tuning) {
  // It looks for what is called through pointers: nothing is.
  llvm::SmallVector<llvm::StringRef> leftOut{"CalledValuePropagationPass"};
  // It asks of each store which ones before it are overwritten.
  bool isGpu = machine.getTargetTriple().isNVPTX();
  if (isGpu && mlir::triton_shared::hasManyOf(module, kManyStores, isStore))
    leftOut.push_back("DSEPass");
  // It asks of each load whether anything before it may end the program.
  if (hasMoreInstructions(module, kManyInstructions))
    leftOut.push_back("VectorCombinePass");
  // A loop that is changed changes the dominators of all that follows.
  if (hasManyBlocks(module)) {
    leftOut.push_back("LoopRotatePass");
    tuning.LoopUnrolling = false;
  }
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [&](llvm::StringRef pass, const llvm::Any &) {
        return !llvm::is_contained(leftOut, pass);
      });
  llvm::PassBuilder builder(&machine, tuning, /*PGOOpt=*/std::nullopt,
                            &callbacks);
  builder.registerPipelineEarlySimplificationEPCallback(
      [isGpu](llvm::ModulePassManager &manager, llvm::OptimizationLevel,
              llvm::ThinOrFullLTOPhase) {
        if (isGpu)
          manager.addPass(
              llvm::createModuleToFunctionPassAdaptor(SplitWideVectors()));
        manager.addPass(
            llvm::createModuleToFunctionPassAdaptor(SplitWholeLoads()));
      });
  builder.registerPeepholeEPCallback(
      [](llvm::FunctionPassManager &manager, llvm::OptimizationLevel) {
        manager.addPass(SplitWholeLoads());
        manager.addPass(DecideBoundedComparisons());
      });
  Analyses analyses(builder);
  builder.buildPerModuleDefaultPipeline(level).run(module, analyses.modules);
}
