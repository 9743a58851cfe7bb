//===- LinalgToGpu.cpp - From phase linalg to the LLVM dialect ------------===//

#include "triton-shared/Pipelines/LinalgToGpu.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "triton-shared/Conversion/Passes.h"
#include "triton-shared/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::triton_shared;

static void addCleanUp(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void triton_shared::buildLinalgToCta(OpPassManager &manager,
                                     const LinalgToGpuOptions &options) {
  // Bodies of loops are scalar here: what the GPU has no instruction for is
  // spelled out before they become operations on tiles.
  arith::ArithEmulateUnsupportedFloatsOptions floats;
  floats.sourceTypeStrs = {"f8E4M3", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ",
                           "f8E5M2FNUZ"};
  floats.targetTypeStr = "f32";
  manager.addPass(arith::createArithEmulateUnsupportedFloats(floats));
  manager.addPass(math::createMathExtendToSupportedTypes());
  manager.addPass(createLinalgToCta({options.numWarps}));
  addCleanUp(manager);
  manager.addPass(createCtaAssignLayouts());
  addCleanUp(manager);
  manager.addPass(createLoopInvariantCodeMotionPass());
  manager.addPass(createCtaAllocateShared());
}

void triton_shared::buildCtaToGpu(OpPassManager &manager) {
  manager.addPass(createCtaToGpu());
  addCleanUp(manager);
}

void triton_shared::buildGpuToLlvm(OpPassManager &manager) {
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertVectorToSCFPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  kernels.addPass(createConvertVectorToLLVMPass());
  kernels.addPass(createArithToLLVMConversionPass());
  kernels.addPass(createConvertMathToLLVMPass());
  kernels.addPass(createConvertIndexToLLVMPass());
  kernels.addPass(createConvertControlFlowToLLVMPass());
  kernels.addPass(createUBToLLVMConversionPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  addCleanUp(kernels);
}

void triton_shared::registerLinalgToGpuPipelines() {
  PassPipelineRegistration<LinalgToGpuOptions>(
      "linalg-to-gpu",
      "Lower phase 'linalg' to the LLVM dialect for an NVIDIA GPU",
      [](OpPassManager &manager, const LinalgToGpuOptions &options) {
        buildLinalgToCta(manager, options);
        buildCtaToGpu(manager);
        buildGpuToLlvm(manager);
      });
}
