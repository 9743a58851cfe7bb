//===- LinalgToCpu.cpp - From phase memref to the LLVM dialect ------------===//
//
// The reference mode: every operation becomes a loop nest in program order,
// every function a call of the C library, every buffer a heap block that is
// freed in the program that made it. Results do not depend on the CPU.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Pipelines/LinalgToCpu.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "triton-shared/Conversion/LinalgToCpu.h"
#include "triton-shared/Conversion/Passes.h"

using namespace mlir;
using namespace mlir::triton_shared;

static void addCleanUp(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

static void buildTensors(OpPassManager &manager) {
  manager.addPass(createCpuRoundDotOperands());
  manager.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  manager.addPass(createCpuFuseElementwise());
  manager.addPass(createCpuCollapseLoops());
  manager.addPass(createCpuOrderLoops());
  addCleanUp(manager);
}

/// Tensors become buffers, each freed where its last owner ends.
static void buildBuffers(OpPassManager &manager) {
  bufferization::OneShotBufferizePassOptions options;
  options.allowReturnAllocsFromLoops = true;
  manager.addPass(bufferization::createOneShotBufferizePass(options));
  addCleanUp(manager);
  bufferization::buildBufferDeallocationPipeline(manager);
  manager.addPass(createConvertBufferizationToMemRefPass());
}

static void buildLoops(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  manager.addPass(createCpuCopiesToLoops());
  manager.addPass(createLowerAffinePass());
  addCleanUp(manager);
}

/// Scalars: what LLVM and the CPU would not do right by themselves.
static void buildScalars(OpPassManager &manager) {
  arith::ArithEmulateUnsupportedFloatsOptions floats;
  floats.sourceTypeStrs = {"f16",    "bf16",       "f8E4M3",    "f8E4M3FN",
                           "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"};
  floats.targetTypeStr = "f32";
  manager.addPass(arith::createArithEmulateUnsupportedFloats(floats));
  manager.addPass(math::createMathExtendToSupportedTypes());
  manager.addPass(createCpuOrderZeros());
  manager.addPass(arith::createArithExpandOpsPass());
  manager.addPass(createCpuGuardDivision());
  manager.addPass(createCpuExpandSmallFloats());
  manager.addPass(createConvertMathToFuncs());
  manager.addPass(createCpuLowerMath());
}

static void buildLlvm(OpPassManager &manager) {
  manager.addPass(createCpuWrapProgramLoop());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  addCleanUp(manager);
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCpuAllowWrap());
  manager.addPass(createCpuBFloatAsBits());
  addCleanUp(manager);
}

void triton_shared::buildLinalgToCpuPipeline(OpPassManager &manager,
                                             const LinalgToCpuOptions &) {
  buildTensors(manager);
  buildBuffers(manager);
  buildLoops(manager);
  buildScalars(manager);
  buildLlvm(manager);
}

void triton_shared::registerLinalgToCpuPipelines() {
  PassPipelineRegistration<LinalgToCpuOptions>(
      "linalg-to-cpu",
      "Lower phase 'memref' to the LLVM dialect for the host (phase llir)",
      buildLinalgToCpuPipeline);
}
