//===- Casts.cpp - Between number formats ---------------------------------===//
//
// Rounding and range of `tt.fp_to_fp`, spelled out in arith; tt.bitcast of
// numbers. arith.truncf rounds to nearest and knows no saturation, so clamping
// comes before it and rounding towards zero after it.
//
//===----------------------------------------------------------------------===//

#include "MapElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// The largest number of `format` as a constant of type `wide`.
Value createLargest(OpBuilder &builder, Location loc, FloatType format,
                    FloatType wide, bool negative) {
  APFloat value = APFloat::getLargest(format.getFloatSemantics(), negative);
  bool losesInfo = false;
  value.convert(wide.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(wide, value));
}

/// `value` within the range of `format`; a NaN stays one.
Value saturate(OpBuilder &builder, Location loc, Value value,
               FloatType format) {
  auto wide = cast<FloatType>(value.getType());
  Value low = createLargest(builder, loc, format, wide, /*negative=*/true);
  Value high = createLargest(builder, loc, format, wide, /*negative=*/false);
  Value raised = arith::MaximumFOp::create(builder, loc, value, low);
  return arith::MinimumFOp::create(builder, loc, raised, high);
}

/// `nearest`, which is `value` rounded to nearest, rounded towards zero
/// instead: its neighbour of smaller magnitude where rounding made it larger.
/// In every format that is the pattern of bits one below.
Value stepTowardsZero(OpBuilder &builder, Location loc, Value value,
                      Value nearest) {
  auto narrow = cast<FloatType>(nearest.getType());
  Type bits = builder.getIntegerType(narrow.getWidth());
  Value back = arith::ExtFOp::create(builder, loc, value.getType(), nearest);
  Value grew = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                     math::AbsFOp::create(builder, loc, back),
                                     math::AbsFOp::create(builder, loc, value));
  Value pattern = arith::BitcastOp::create(builder, loc, bits, nearest);
  Value one = createScalar(builder, loc, bits, 1);
  Value stepped = arith::SubIOp::create(builder, loc, pattern, one);
  if (APFloat::getZero(narrow.getFloatSemantics(), /*Negative=*/true)
          .bitcastToAPInt()
          .isZero()) {
    // No negative zero: the pattern below the smallest negative number is NaN.
    APInt sign = APInt::getSignMask(narrow.getWidth());
    Value nan = arith::ConstantOp::create(builder, loc,
                                          builder.getIntegerAttr(bits, sign));
    Value isNan = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        stepped, nan);
    Value zero = createScalar(builder, loc, bits, 0);
    stepped = arith::SelectOp::create(builder, loc, isNan, zero, stepped);
  }
  Value result = arith::SelectOp::create(builder, loc, grew, stepped, pattern);
  return arith::BitcastOp::create(builder, loc, narrow, result);
}

bool hasInfinity(FloatType format) {
  return APFloat::semanticsHasInf(format.getFloatSemantics());
}

Value narrowFloat(OpBuilder &builder, Location loc, Value value,
                  FloatType format, bool towardsZero) {
  bool keepsInfinity = towardsZero && hasInfinity(format);
  if (format.getWidth() == 8 && !keepsInfinity)
    value = saturate(builder, loc, value, format);
  Value nearest = arith::TruncFOp::create(builder, loc, format, value);
  return towardsZero ? stepTowardsZero(builder, loc, value, nearest) : nearest;
}

Value convertFloat(tt::FpToFpOp op, OpBuilder &builder, Location loc,
                   ValueRange in) {
  auto from = cast<FloatType>(in[0].getType());
  auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  bool towardsZero = op.getRounding() == tt::RoundingMode::RTZ;
  if (from == to)
    return in[0];
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(builder, loc, to, in[0]);
  Value value = in[0];
  if (from.getWidth() == to.getWidth())
    value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return narrowFloat(builder, loc, value, to, towardsZero);
}

Value reinterpret(tt::BitcastOp op, OpBuilder &builder, Location loc,
                  ValueRange in) {
  Type type = getElementTypeOrSelf(op.getType());
  if (type == in[0].getType())
    return in[0];
  return arith::BitcastOp::create(builder, loc, type, in[0]);
}

/// tt.bitcast of pointers belongs to the topic Program, which has priority.
struct LowerNumberBitcast : LowerPerElement<tt::BitcastOp, reinterpret> {
  using LowerPerElement::LowerPerElement;

  LogicalResult
  matchAndRewrite(tt::BitcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isIntOrFloat())
      return rewriter.notifyMatchFailure(op, "not a number");
    return LowerPerElement::matchAndRewrite(op, adaptor, rewriter);
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgCasts(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerPerElement<tt::FpToFpOp, convertFloat>, LowerNumberBitcast>(
      patterns.getContext());
}
