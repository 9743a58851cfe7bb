//===- BFloatAsBits.cpp - bf16 is an integer for LLVM ---------------------===//
//
// The CPU computes in f32; what is left of bf16 is moved, not computed with.
// Only instructions for pairs of bf16 know what it is.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUBFLOATASBITS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct CpuBFloatAsBits
    : triton_shared::impl::CpuBFloatAsBitsBase<CpuBFloatAsBits> {
  void runOnOperation() override {
    Type bits = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](BFloat16Type) { return bits; });
    replacer.addReplacement([&](FloatAttr number) -> std::optional<Attribute> {
      if (!number.getType().isBF16())
        return std::nullopt;
      return IntegerAttr::get(bits, number.getValue().bitcastToAPInt());
    });
    replacer.addReplacement(
        [&](DenseFPElementsAttr numbers) -> std::optional<Attribute> {
          if (!numbers.getElementType().isBF16())
            return std::nullopt;
          return numbers.bitcast(bits);
        });
    replacer.recursivelyReplaceElementsIn(getOperation(),
                                          /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    getOperation()->walk(passFloats);
  }

private:
  /// Instructions get floats again.
  static void passFloats(LLVM::CallIntrinsicOp call) {
    if (!call.getIntrin().starts_with("llvm.x86.avx512bf16."))
      return;
    OpBuilder builder(call);
    for (OpOperand &operand : call->getOpOperands()) {
      auto type = cast<VectorType>(operand.get().getType());
      if (type.getElementType().isInteger(16))
        operand.set(LLVM::BitcastOp::create(builder, call.getLoc(),
                                            type.clone(builder.getBF16Type()),
                                            operand.get()));
    }
  }
};

} // namespace
