//===- AllowWrap.cpp - Addresses may lie before their base ----------------===//
//
// Upstream's lowering of memref promises LLVM that offsets never wrap, unsigned
// or signed. Triton's do: a block may lie before the pointer it starts from, or
// run backwards. A pointer made of an integer even is an offset from null.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUALLOWWRAP
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct CpuAllowWrap : triton_shared::impl::CpuAllowWrapBase<CpuAllowWrap> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto address = dyn_cast<LLVM::GEPOp>(op))
        address.setNoWrapFlags(LLVM::GEPNoWrapFlags::none);
      if (auto arithmetic = dyn_cast<LLVM::IntegerOverflowFlagsInterface>(op))
        arithmetic.setOverflowFlags(LLVM::IntegerOverflowFlags::none);
      if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op)) {
        Builder builder(op);
        SmallVector<Attribute> facts{
            builder.getStringAttr("null_pointer_is_valid")};
        if (ArrayAttr known = function.getPassthroughAttr())
          llvm::append_range(facts, known);
        function.setPassthroughAttr(builder.getArrayAttr(facts));
      }
    });
  }
};

} // namespace
