//===- InitAll.cpp - Registration of everything the project uses ----------===//

#include "triton-shared/InitAll.h"

#include "UpstreamPasses.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Conversion/LinalgToCpu.h"
#include "triton-shared/Conversion/Passes.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Pipelines/LinalgToCpu.h"
#include "triton-shared/Pipelines/LinalgToGpu.h"
#include "triton-shared/Pipelines/Phases.h"
#include "triton-shared/Transforms/Passes.h"

using namespace mlir;

void triton_shared::registerAllDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, cta::CTADialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  DLTIDialect, func::FuncDialect, gpu::GPUDialect,
                  linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
                  tensor::TensorDialect, vector::VectorDialect,
                  triton::TritonDialect, triton::gpu::TritonGPUDialect,
                  tts::TTSDialect, ub::UBDialect>();
  registerLinalgToCpuExternalModels(registry);
}

void triton_shared::registerAllPasses() {
  registerTritonSharedTransformsPasses();
  registerTritonSharedConversionPasses();
  registerExplainAccessesPipeline();
  registerTritonToLinalgPipelines();
  registerLinalgToCpuPipelines();
  registerLinalgToGpuPipelines();
  registerUpstreamPasses();
}
