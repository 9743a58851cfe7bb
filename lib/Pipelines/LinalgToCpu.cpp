//===- LinalgToCpu.cpp - From phase memref to the LLVM dialect ------------===//
//
// Two ways that share their ends. In reference mode every operation becomes a
// loop nest in program order, every function a call of the C library, every
// buffer a heap block that is freed in the program that made it: results do not
// depend on the CPU. In fast mode operations become loops over vectors, and
// those that have no such form the loops of reference mode.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Pipelines/LinalgToCpu.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
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
#include "triton-shared/Transforms/Passes.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::triton_shared;

static void addCleanUp(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

//===----------------------------------------------------------------------===//
// Steps of both modes
//===----------------------------------------------------------------------===//

/// What is computed, as few operations on tensors as computes nothing twice.
static void buildTensors(OpPassManager &manager) {
  manager.addPass(createCpuRoundDotOperands());
  manager.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  manager.addPass(createCpuFuseElementwise());
  manager.addPass(createCpuCollapseLoops());
}

/// Tensors become buffers.
static void buildBuffers(OpPassManager &manager) {
  bufferization::OneShotBufferizePassOptions options;
  options.allowReturnAllocsFromLoops = true;
  manager.addPass(bufferization::createOneShotBufferizePass(options));
  addCleanUp(manager);
}

static void buildLoops(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  manager.addPass(createCpuCopiesToLoops());
  manager.addPass(createLowerAffinePass());
  addCleanUp(manager);
}

/// Floats that the CPU does not compute with become f32.
static void buildFloats(OpPassManager &manager) {
  arith::ArithEmulateUnsupportedFloatsOptions floats;
  floats.sourceTypeStrs = {"f16",    "bf16",       "f8E4M3",    "f8E4M3FN",
                           "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"};
  floats.targetTypeStr = "f32";
  manager.addPass(arith::createArithEmulateUnsupportedFloats(floats));
  manager.addPass(math::createMathExtendToSupportedTypes());
}

static void buildLlvm(OpPassManager &manager) {
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

//===----------------------------------------------------------------------===//
// Reference mode
//===----------------------------------------------------------------------===//

/// Each buffer is freed where its last owner ends.
static void buildDeallocation(OpPassManager &manager) {
  bufferization::buildBufferDeallocationPipeline(manager);
  manager.addPass(createConvertBufferizationToMemRefPass());
}

/// Scalars: what LLVM and the CPU would not do right by themselves.
static void buildScalars(OpPassManager &manager) {
  buildFloats(manager);
  manager.addPass(createCpuOrderZeros());
  manager.addPass(arith::createArithExpandOpsPass());
  manager.addPass(createCpuGuardDivision());
  manager.addPass(createExpandSmallFloats());
  manager.addPass(createConvertMathToFuncs());
  manager.addPass(createCpuLowerMath());
}

static void buildReference(OpPassManager &manager) {
  buildTensors(manager);
  manager.addPass(createCpuOrderLoops());
  addCleanUp(manager);
  buildBuffers(manager);
  buildDeallocation(manager);
  buildLoops(manager);
  buildScalars(manager);
  manager.addPass(createCpuWrapProgramLoop());
  buildLlvm(manager);
}

//===----------------------------------------------------------------------===//
// Fast mode
//===----------------------------------------------------------------------===//

/// Blocks stay where they are, in memory and in loops.
static void buildPlaces(OpPassManager &manager) {
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createCpuWriteInPlace());
  functions.addPass(createCpuCarryInPlace());
  functions.addPass(createCpuWidenBooleans());
  addCleanUp(manager);
}

/// Bodies are rewritten while they are scalar; then loops go from vector to
/// vector.
static void buildVectors(OpPassManager &manager,
                         const LinalgToCpuOptions &options) {
  manager.addNestedPass<func::FuncOp>(createCpuTileDots(
      {options.vectorBytes, options.registers, options.hasFma}));
  buildFloats(manager);
  manager.addPass(createExpandSmallFloats());
  // Without that operation, the C library is faster than polynomials.
  if (options.hasFma)
    manager.addPass(createCpuExpandMath({options.hasScale}));
  manager.addNestedPass<func::FuncOp>(
      createLinalgToVector({options.vectorBytes}));
}

/// As in reference mode, on scalars and vectors.
static void buildArithmetic(OpPassManager &manager) {
  manager.addPass(createCpuOrderZeros());
  manager.addPass(arith::createArithExpandOpsPass());
  manager.addPass(createCpuGuardDivision());
  manager.addPass(createConvertMathToFuncs());
  manager.addPass(createCpuLowerMath());
}

static void buildFast(OpPassManager &manager,
                      const LinalgToCpuOptions &options) {
  buildTensors(manager);
  addCleanUp(manager);
  manager.addNestedPass<func::FuncOp>(createCpuReadInPlace());
  buildBuffers(manager);
  buildPlaces(manager);
  buildVectors(manager, options);
  buildLoops(manager);
  buildArithmetic(manager);
  manager.addPass(createCpuWrapProgramLoop());
  manager.addPass(createCpuPlaceBuffers());
  manager.addPass(createConvertVectorToLLVMPass());
  buildLlvm(manager);
}

void triton_shared::buildLinalgToCpuPipeline(
    OpPassManager &manager, const LinalgToCpuOptions &options) {
  if (options.mode == CpuMode::Fast)
    buildFast(manager, options);
  else
    buildReference(manager);
}

void triton_shared::useHost(LinalgToCpuOptions &options) {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  bool hasAvx512 = features.lookup("avx512f") && features.lookup("avx512vl");
  bool isX86 = features.contains("sse2");
  options.vectorBytes = hasAvx512 ? 64 : features.lookup("avx2") ? 32 : 16;
  options.registers = hasAvx512 || !isX86 ? 32 : 16;
  options.hasFma = features.lookup("fma") || !isX86;
  options.hasScale = hasAvx512;
}

void triton_shared::registerLinalgToCpuPipelines() {
  PassPipelineRegistration<LinalgToCpuOptions>(
      "linalg-to-cpu",
      "Lower phase 'memref' to the LLVM dialect for the host (phase llir)",
      buildLinalgToCpuPipeline);
}
