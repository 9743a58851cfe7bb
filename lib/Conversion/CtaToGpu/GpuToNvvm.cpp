//===- GpuToNvvm.cpp - gpu-to-nvvm ----------------------------------------===//
//
// The patterns are upstream's, of all its dialects in one conversion: see
// UpstreamToLlvm/Pass.cpp.
//
//===----------------------------------------------------------------------===//

#include "SplitCarriedVectors.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "triton-shared/Conversion/Passes.h"
#include "triton-shared/Conversion/UpstreamToLlvm.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_GPUTONVVM
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// Has the launch put the bytes into memory of the kernel's own, which nobody
/// writes: the copy engine reads them there.
static void passByValue(LLVM::LLVMFuncOp kernel, unsigned index) {
  Builder builder(kernel.getContext());
  Type bytes =
      LLVM::LLVMArrayType::get(builder.getI8Type(), tts::kTensorMapBytes);
  kernel.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(),
                    TypeAttr::get(bytes));
  kernel.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                    builder.getI64IntegerAttr(tts::kTensorMapAlignment));
  kernel.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(),
                    builder.getUnitAttr());
}

/// Vectors become ones that LLVM has operations for. Only operations on vectors
/// are looked at: there are far more others.
static void lowerVectors(gpu::GPUModuleOp kernels) {
  SmallVector<Operation *> found;
  kernels->walk([&](Operation *op) {
    // Those are converted as they are.
    bool isDirect = isa<vector::ExtractOp, vector::FromElementsOp,
                        vector::BitCastOp, vector::ShuffleOp>(op);
    if (isa<vector::VectorDialect>(op->getDialect()) && !isDirect)
      found.push_back(op);
  });
  if (found.empty())
    return;
  RewritePatternSet patterns(kernels.getContext());
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  // What it does not lower, the conversion refuses.
  (void)applyOpPatternsGreedily(found, std::move(patterns), config);
}

/// Everything in the kernels becomes operations of LLVM and of NVVM at once.
static LogicalResult convert(gpu::GPUModuleOp kernels) {
  MLIRContext *context = kernels.getContext();
  LowerToLLVMOptions options(context, DataLayout(kernels));
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);
  SymbolTableCollection symbols;
  RewritePatternSet patterns(context);
  // What a GPU has of its own comes first.
  populateGpuToNVVMConversionPatterns(converter, patterns, /*benefit=*/10);
  populateNVVMToLLVMConversionPatterns(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  populateUpstreamToLlvmPatterns(converter, symbols, patterns);
  LLVMConversionTarget target(*context);
  target.addIllegalDialect<gpu::GPUDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  // Those that LLVM has no intrinsic for are written as assembly.
  target.addDynamicallyLegalDialect<NVVM::NVVMDialect>([](Operation *op) {
    auto assembly = dyn_cast<NVVM::BasicPtxBuilderInterface>(op);
    return !assembly || assembly.hasIntrinsic();
  });
  return applyPartialConversion(kernels, target, std::move(patterns));
}

namespace {

struct GpuToNvvm : triton_shared::impl::GpuToNvvmBase<GpuToNvvm> {
  void runOnOperation() override {
    gpu::GPUModuleOp kernels = getOperation();
    SmallVector<std::pair<StringAttr, unsigned>> maps;
    for (auto kernel : kernels.getOps<gpu::GPUFuncOp>())
      for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
        if (kernel.getArgAttr(i, tts::kTensorMap))
          maps.emplace_back(kernel.getNameAttr(), i);
    splitCarriedVectors(kernels);
    lowerVectors(kernels);
    if (failed(convert(kernels)))
      return signalPassFailure();
    for (auto [name, index] : maps)
      passByValue(kernels.lookupSymbol<LLVM::LLVMFuncOp>(name), index);
  }
};

} // namespace
