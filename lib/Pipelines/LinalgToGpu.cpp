//===- LinalgToGpu.cpp - From phase linalg to the LLVM dialect ------------===//

#include "triton-shared/Pipelines/LinalgToGpu.h"

#include "CleanUp.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "triton-shared/Conversion/Passes.h"
#include "triton-shared/Target/KnownGpus.h"
#include "triton-shared/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::triton_shared;

void triton_shared::buildInstructions(OpPassManager &manager,
                                      const CompileTarget &target) {
  // Bodies of loops are scalar here: what the GPU has no instruction for is
  // spelled out before they become operations on tiles.
  manager.addPass(createLinalgExtendDotOperands());
  arith::ArithEmulateUnsupportedFloatsOptions floats;
  floats.sourceTypeStrs = {"f8E4M3", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ",
                           "f8E5M2FNUZ"};
  floats.targetTypeStr = "f32";
  manager.addPass(arith::createArithEmulateUnsupportedFloats(floats));
  manager.addPass(math::createMathExtendToSupportedTypes());
  ExpandSmallFloatsOptions small;
  small.keepsBFloat = true;
  manager.addPass(createExpandSmallFloats(small));
  manager.addPass(createLinalgToCta({target.numWarps, target.cudaArch}));
  addStructuredCleanUp(manager);
  manager.addPass(createCtaSplitLoops());
  addStructuredCleanUp(manager);
  if (target.onlineSoftmax != OnlineSoftmaxMode::Exact)
    manager.addPass(createCtaOnlineSoftmax());
  if (target.fusesMultiplyAdd && !target.isPrecise)
    manager.addPass(createCtaScaleMaxima());
  if (!target.keepsWarps)
    manager.addPass(createCtaAddWarps());
  manager.addPass(createCtaSwapOperands());
  manager.addPass(createCtaTurnLoads());
  manager.addPass(createCtaChooseInstructions());
}

void triton_shared::buildLinalgToCta(OpPassManager &manager,
                                     const CompileTarget &target) {
  buildInstructions(manager, target);
  if (!target.keepsWarps)
    manager.addPass(createCtaFitWarps());
  manager.addPass(createCtaAssignLayouts());
  addStructuredCleanUp(manager);
  if (!target.isPrecise) {
    manager.addPass(createCtaSumInThreads());
    addStructuredCleanUp(manager);
  }
  manager.addPass(createCtaSpreadRows());
  manager.addPass(createLoopInvariantCodeMotionPass());
  if (target.numStages > 1) {
    manager.addPass(createCtaGuardRows());
    if (target.pointerMaps != PointerMaps::Never)
      manager.addPass(createCtaGuardBoxes(
          {/*assumesMaps=*/target.pointerMaps == PointerMaps::Assumed}));
  }
  if (target.numStages > 1 &&
      target.specializesWarps != SpecializeWarps::Never) {
    manager.addPass(createCtaHoistGuards());
    manager.addPass(createCtaSpecializeWarps(
        {target.numStages, target.specializesWarps == SpecializeWarps::Always,
         /*movesRegisters=*/target.maxRegisters == 0}));
  }
  manager.addPass(createCtaPipelineLoads({target.numStages}));
  manager.addPass(createCtaCopyOperands());
  manager.addPass(createCtaShareOperands());
  manager.addPass(createCtaWriteTogether());
  manager.addPass(createCtaStoreBoxes());
  manager.addPass(createCtaStreamDots());
  manager.addPass(createCtaGuardBlocks());
  addStructuredCleanUp(manager);
  manager.addPass(createCtaLoadEarly());
  manager.addPass(createCtaOrderAccesses());
  manager.addPass(createCtaTakeTurns());
  manager.addPass(createCtaOverlapDots());
  if (target.onlineSoftmax == OnlineSoftmaxMode::Speculative) {
    manager.addPass(createCtaSpeculateSoftmax());
    addStructuredCleanUp(manager);
  }
  manager.addPass(createCtaAllocateShared());
  manager.addPass(createCtaStartLongest());
  if (!target.keepsWarps)
    manager.addPass(createCtaPackPrograms());
}

void triton_shared::buildCtaToGpu(OpPassManager &manager, bool isPrecise) {
  manager.addPass(createCtaToGpu());
  if (!isPrecise)
    manager.addPass(createGpuApproximateMath());
  // Every tile has computed anew which thread this is: what folds once is not
  // looked at thousands of times.
  manager.addPass(createCSEPass());
  addStructuredCleanUp(manager);
  // Remainders: LLVM keeps in a loop what it divides by no constant.
  manager.addPass(createLoopInvariantCodeMotionPass());
}

void triton_shared::buildGpuToLlvm(OpPassManager &manager) {
  manager.addPass(createGuardIntegers());
  manager.addPass(createSCFToControlFlowPass());
  manager.addNestedPass<gpu::GPUModuleOp>(createGpuToNvvm());
  addCleanUp(manager);
}

void triton_shared::registerLinalgToGpuPipelines() {
  registerPassPipeline(
      "linalg-to-gpu",
      "Lower phase 'linalg' to the LLVM dialect for an NVIDIA GPU",
      [](OpPassManager &manager, StringRef text,
         function_ref<LogicalResult(const Twine &)> reportError) {
        LinalgToGpuOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        if (!isKnownGpu(options.arch))
          return reportError("unknown target 'cuda:" + options.arch +
                             "'; use one of " + listGpus());
        CompileTarget target;
        target.cudaArch = options.arch;
#define CPU_OPTION(type, member, name, default, help)
#define GPU_OPTION(type, member, name, default, help)                          \
  target.member = options.member;
#include "triton-shared/Target/TargetOptions.def"
        buildLinalgToCta(manager, target);
        buildCtaToGpu(manager, target.isPrecise);
        buildGpuToLlvm(manager);
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)> show) {
        show(LinalgToGpuOptions());
      });
}
