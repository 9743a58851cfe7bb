//===- RoundDotOperands.cpp - The input precision of dots -----------------===//
//
// A dot with `inputPrecision = tf32` sees its f32 operands rounded to the
// mantissa of that format, as tensor cores do.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUROUNDDOTOPERANDS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr unsigned kDroppedBits = 13; // f32 has 23 bits of mantissa, tf32 10.
constexpr int64_t kInfinity = 0x7f800000;

/// Rounds an f32 to tf32, ties to even. The carry may raise the exponent, also
/// to infinity; infinities and NaNs stay.
Value roundToTf32(OpBuilder &builder, Location loc, Value value) {
  Type integer = builder.getI32Type();
  auto constant = [&](int64_t bits) -> Value {
    return arith::ConstantIntOp::create(builder, loc, integer, bits);
  };
  Value bits = arith::BitcastOp::create(builder, loc, integer, value);
  Value shifted =
      arith::ShRUIOp::create(builder, loc, bits, constant(kDroppedBits));
  Value isOdd = arith::AndIOp::create(builder, loc, shifted, constant(1));
  Value almostHalf = arith::AddIOp::create(
      builder, loc, isOdd, constant((1 << (kDroppedBits - 1)) - 1));
  Value raised = arith::AddIOp::create(builder, loc, bits, almostHalf);
  Value rounded = arith::AndIOp::create(
      builder, loc, raised, constant(-(int64_t(1) << kDroppedBits)));
  Value exponent =
      arith::AndIOp::create(builder, loc, bits, constant(kInfinity));
  Value isSpecial = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, exponent, constant(kInfinity));
  Value result =
      arith::SelectOp::create(builder, loc, isSpecial, bits, rounded);
  return arith::BitcastOp::create(builder, loc, value.getType(), result);
}

Value roundTensor(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  auto generic = linalg::GenericOp::create(
      builder, loc, type, tensor, empty, ArrayRef{identity, identity},
      iterators, [](OpBuilder &inner, Location innerLoc, ValueRange elements) {
        linalg::YieldOp::create(inner, innerLoc,
                                roundToTf32(inner, innerLoc, elements[0]));
      });
  return generic.getResult(0);
}

struct CpuRoundDotOperands
    : triton_shared::impl::CpuRoundDotOperandsBase<CpuRoundDotOperands> {
  void runOnOperation() override {
    getOperation().walk([](linalg::LinalgOp op) {
      auto precision = dyn_cast_or_null<StringAttr>(
          op->removeDiscardableAttr(tts::kInputPrecision));
      if (!precision || precision != "tf32" || !op.hasPureTensorSemantics() ||
          op->hasAttr(tts::kGpuProduct))
        return;
      OpBuilder builder(op);
      for (OpOperand *input : op.getDpsInputOperands())
        if (getElementTypeOrSelf(input->get().getType()).isF32())
          input->set(roundTensor(builder, op.getLoc(), input->get()));
    });
  }
};

} // namespace
