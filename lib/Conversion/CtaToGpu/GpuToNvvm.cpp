//===- GpuToNvvm.cpp - gpu-to-nvvm ----------------------------------------===//

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "triton-shared/Conversion/Passes.h"
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

namespace {

struct GpuToNvvm : triton_shared::impl::GpuToNvvmBase<GpuToNvvm> {
  void runOnOperation() override {
    gpu::GPUModuleOp kernels = getOperation();
    SmallVector<std::pair<StringAttr, unsigned>> maps;
    for (auto kernel : kernels.getOps<gpu::GPUFuncOp>())
      for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
        if (kernel.getArgAttr(i, tts::kTensorMap))
          maps.emplace_back(kernel.getNameAttr(), i);
    OpPassManager upstream(gpu::GPUModuleOp::getOperationName());
    upstream.addPass(createConvertGpuOpsToNVVMOps());
    if (failed(runPipeline(upstream, kernels)))
      return signalPassFailure();
    for (auto [name, index] : maps)
      passByValue(kernels.lookupSymbol<LLVM::LLVMFuncOp>(name), index);
  }
};

} // namespace
