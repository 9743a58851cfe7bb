//===- UpstreamPasses.cpp - Passes of MLIR that phases are made of --------===//
//
// With their names known, what printPipelines prints can be read again.
//
//===----------------------------------------------------------------------===//

#include "UpstreamPasses.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static void registerPassesToMemRefs() {
  registerLinalgGeneralizeNamedOpsPass();
  registerConvertLinalgToLoopsPass();
  bufferization::registerOneShotBufferizePass();
  bufferization::registerOwnershipBasedBufferDeallocationPass();
  bufferization::registerBufferDeallocationSimplificationPass();
  bufferization::registerLowerDeallocationsPass();
  registerConvertBufferizationToMemRefPass();
  arith::registerArithEmulateUnsupportedFloats();
  arith::registerArithExpandOpsPass();
  math::registerMathExtendToSupportedTypes();
  memref::registerExpandReallocPass();
  memref::registerExpandStridedMetadataPass();
}

static void registerPassesToLLVM() {
  registerLowerAffinePass();
  registerSCFToControlFlowPass();
  registerConvertMathToFuncs();
  registerConvertMathToLLVMPass();
  registerFinalizeMemRefToLLVMConversionPass();
  registerArithToLLVMConversionPass();
  registerConvertIndexToLLVMPass();
  registerUBToLLVMConversionPass();
  registerConvertControlFlowToLLVMPass();
  registerConvertFuncToLLVMPass();
  registerConvertVectorToSCF();
  registerConvertVectorToLLVMPass();
  registerConvertGpuOpsToNVVMOps();
  registerConvertNVVMToLLVMPass();
  registerReconcileUnrealizedCastsPass();
}

void triton_shared::registerUpstreamPasses() {
  registerTransformsPasses();
  registerPassesToMemRefs();
  registerPassesToLLVM();
}
