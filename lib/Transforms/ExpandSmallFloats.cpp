//===- ExpandSmallFloats.cpp - Conversions of small floats on integers ----===//
//
// Narrowing and widening of 8-bit and 16-bit floats as integer arithmetic on
// their bits: exact on every machine, for every format and both rounding modes.
// Tiles of them are widened like scalars, element by element.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "triton-shared/Transforms/Passes.h"
#include "triton-shared/Transforms/SmallFloats.h"
#include "llvm/ADT/APFloat.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_EXPANDSMALLFLOATS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// The layout of a binary float as integers.
struct FloatFormat {
  explicit FloatFormat(FloatType type)
      : semantics(type.getFloatSemantics()), width(type.getWidth()),
        mantissaBits(llvm::APFloat::semanticsPrecision(semantics) - 1),
        bias(1 - llvm::APFloat::semanticsMinExponent(semantics)),
        hasInfinity(llvm::APFloat::semanticsHasInf(semantics)),
        largest(bitsOf(llvm::APFloat::getLargest(semantics))),
        nan(bitsOf(llvm::APFloat::getQNaN(semantics))),
        overflow(hasInfinity ? bitsOf(llvm::APFloat::getInf(semantics)) : nan),
        hasNegativeZero(
            bitsOf(llvm::APFloat::getZero(semantics, /*Negative=*/true)) != 0) {
  }

  uint64_t signBit() const { return uint64_t(1) << (width - 1); }
  uint64_t implicitBit() const { return uint64_t(1) << mantissaBits; }

  const llvm::fltSemantics &semantics;
  unsigned width, mantissaBits;
  int bias;
  bool hasInfinity;
  /// Bits of the largest number, of a NaN, and of what lies beyond the largest
  /// number.
  uint64_t largest, nan, overflow;
  /// False for the formats whose sign bit alone means NaN.
  bool hasNegativeZero;

private:
  static uint64_t bitsOf(const llvm::APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  }
};

bool isSmallFormat(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || floatType.getWidth() > 16)
    return false;
  const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
  return llvm::APFloat::semanticsHasSignedRepr(semantics) &&
         llvm::APFloat::semanticsHasNaN(semantics) &&
         llvm::APFloat::semanticsHasZero(semantics);
}

/// Integer arithmetic of one width, on scalars or on tiles of the shape of
/// `like`.
class Bits {
public:
  Bits(OpBuilder &builder, Location loc, unsigned width, Type like)
      : b(loc, builder), shape(dyn_cast<ShapedType>(like)),
        integer(builder.getIntegerType(width)), type(spread(integer)) {}

  /// A tile of `element`, or `element` itself.
  Type spread(Type element) {
    return shape ? Type(shape.clone(element)) : element;
  }

  Value constant(TypedAttr element) {
    if (shape)
      element = DenseElementsAttr::get(shape.clone(element.getType()),
                                       Attribute(element));
    return arith::ConstantOp::create(b, element);
  }
  Value constant(uint64_t value) {
    APInt bits(integer.getWidth(), value, /*isSigned=*/false,
               /*implicitTrunc=*/true);
    return constant(b.getIntegerAttr(integer, bits));
  }
  template <typename Op> Value make(Value lhs, Value rhs) {
    return Op::create(b, lhs, rhs);
  }
  Value add(Value lhs, Value rhs) { return make<arith::AddIOp>(lhs, rhs); }
  Value sub(Value lhs, Value rhs) { return make<arith::SubIOp>(lhs, rhs); }
  Value bitAnd(Value lhs, Value rhs) { return make<arith::AndIOp>(lhs, rhs); }
  Value bitOr(Value lhs, Value rhs) { return make<arith::OrIOp>(lhs, rhs); }
  Value shl(Value lhs, Value rhs) { return make<arith::ShLIOp>(lhs, rhs); }
  Value shr(Value lhs, Value rhs) { return make<arith::ShRUIOp>(lhs, rhs); }
  Value isAbove(Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, lhs, rhs);
  }
  Value isBelow(Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, lhs, rhs);
  }
  Value equals(Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lhs, rhs);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no);
  }

  /// `value >> amount`, to nearest with ties to even or towards zero.
  Value shiftAndRound(Value value, Value amount, bool towardZero) {
    Value down = shr(value, amount);
    if (towardZero)
      return down;
    Value one = constant(1);
    Value half = shl(one, sub(amount, one));
    Value almostHalf = sub(half, one);
    Value isOdd = bitAnd(down, one);
    return shr(add(value, add(almostHalf, isOdd)), amount);
  }

  ImplicitLocOpBuilder b;
  ShapedType shape;
  IntegerType integer;
  /// Of what is computed: `integer`, or a tile of it.
  Type type;
};

//===----------------------------------------------------------------------===//
// Narrowing
//===----------------------------------------------------------------------===//

/// Numbers that are normal in the target: the exponent gets the other bias, and
/// the carry of rounding moves into it by itself.
Value narrowNormal(Bits &bits, Value magnitude, const FloatFormat &from,
                   const FloatFormat &to, bool towardZero) {
  Value bias =
      bits.constant(uint64_t(from.bias - to.bias) << from.mantissaBits);
  return bits.shiftAndRound(bits.sub(magnitude, bias),
                            bits.constant(from.mantissaBits - to.mantissaBits),
                            towardZero);
}

/// Numbers below the normal ones of the target: the significand moves right by
/// what the exponent lacks. Beyond two bits more than it has, nothing is left.
Value narrowSubnormal(Bits &bits, Value magnitude, const FloatFormat &from,
                      const FloatFormat &to, bool towardZero) {
  Value exponent = bits.shr(magnitude, bits.constant(from.mantissaBits));
  Value mantissa =
      bits.bitAnd(magnitude, bits.constant(from.implicitBit() - 1));
  Value significand = bits.bitOr(mantissa, bits.constant(from.implicitBit()));
  Value all = bits.constant(from.mantissaBits - to.mantissaBits + 1 +
                            from.bias - to.bias);
  Value most = bits.constant(from.mantissaBits + 2);
  Value amount = bits.sub(all, exponent);
  amount = bits.select(bits.isAbove(amount, most), most, amount);
  // Unused for normal numbers, but a shift by a negative amount is poison.
  Value least = bits.constant(from.mantissaBits - to.mantissaBits);
  amount =
      bits.select(bits.isAbove(exponent, bits.sub(all, least)), least, amount);
  return bits.shiftAndRound(significand, amount, towardZero);
}

/// The bits of `value`, an f32 or f64 or a tile of them, in the format `type`.
Value narrow(Bits &bits, Value value, FloatType type, bool towardZero) {
  FloatFormat from(cast<FloatType>(getElementTypeOrSelf(value.getType())));
  FloatFormat to(type);
  Value raw = arith::BitcastOp::create(bits.b, bits.type, value);
  Value amount = bits.constant(from.width - to.width);
  Value sign = bits.bitAnd(bits.shr(raw, amount), bits.constant(to.signBit()));
  if (from.bias == to.bias && to.hasInfinity) {
    // bf16 is the upper half, rounded with the sign where it is: no number but
    // a NaN carries into that.
    Value isNan =
        arith::CmpFOp::create(bits.b, arith::CmpFPredicate::UNO, value, value);
    return bits.select(isNan, bits.bitOr(sign, bits.constant(to.nan)),
                       bits.shiftAndRound(raw, amount, towardZero));
  }
  Value magnitude = bits.bitAnd(raw, bits.constant(from.signBit() - 1));
  Value infinity = bits.constant(from.overflow);

  Value result = narrowNormal(bits, magnitude, from, to, towardZero);
  Value smallestNormal =
      bits.constant(uint64_t(from.bias - to.bias + 1) << from.mantissaBits);
  result = bits.select(bits.isBelow(magnitude, smallestNormal),
                       narrowSubnormal(bits, magnitude, from, to, towardZero),
                       result);
  Value largest = bits.constant(to.largest);
  result =
      bits.select(bits.isAbove(result, largest),
                  towardZero ? largest : bits.constant(to.overflow), result);
  result = bits.select(bits.equals(magnitude, infinity),
                       bits.constant(to.overflow), result);
  result = bits.select(bits.isAbove(magnitude, infinity), bits.constant(to.nan),
                       result);
  Value isSigned = bits.bitOr(result, sign);
  if (to.hasNegativeZero)
    return isSigned;
  Value zero = bits.constant(0);
  return bits.select(bits.equals(result, zero), zero, isSigned);
}

} // namespace

Value triton_shared::narrowSmallFloat(OpBuilder &builder, Location loc,
                                      Value value, FloatType to,
                                      bool towardZero) {
  Type wide = getElementTypeOrSelf(value.getType());
  if (!wide.isF32() && !wide.isF64()) {
    wide = builder.getF32Type();
    Type type = wide;
    if (auto tile = dyn_cast<ShapedType>(value.getType()))
      type = tile.clone(wide);
    value = arith::ExtFOp::create(builder, loc, type, value);
  }
  Bits bits(builder, loc, wide.getIntOrFloatBitWidth(), value.getType());
  Value result = narrow(bits, value, to, towardZero);
  Type integer = bits.spread(builder.getIntegerType(to.getWidth()));
  Value small = arith::TruncIOp::create(builder, loc, integer, result);
  return arith::BitcastOp::create(builder, loc, bits.spread(to), small);
}

/// True if `value` is the largest number of `format`, or the smallest one.
static bool isEndOf(Value value, FloatType format, bool isNegative) {
  APFloat constant(0.0);
  if (!matchPattern(value, m_ConstantFloat(&constant)))
    return false;
  APFloat end = APFloat::getLargest(format.getFloatSemantics(), isNegative);
  bool losesInfo = false;
  end.convert(constant.getSemantics(), APFloat::rmNearestTiesToEven,
              &losesInfo);
  return constant.bitwiseIsEqual(end);
}

Value triton_shared::findSaturated(arith::TruncFOp op) {
  auto format = dyn_cast<FloatType>(getElementTypeOrSelf(op.getType()));
  auto below = op.getIn().getDefiningOp<arith::MinimumFOp>();
  if (!below || !isEndOf(below.getRhs(), format, /*isNegative=*/false))
    return nullptr;
  auto above = below.getLhs().getDefiningOp<arith::MaximumFOp>();
  if (!above || !isEndOf(above.getRhs(), format, /*isNegative=*/true))
    return nullptr;
  return above.getLhs();
}

/// True for the floats of 8 bits that some GPUs convert by themselves.
static bool isGpuFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

bool triton_shared::isGpuWidening(arith::ExtFOp op) {
  return isGpuFloat8(getElementTypeOrSelf(op.getIn()));
}

bool triton_shared::isGpuNarrowing(arith::TruncFOp op) {
  arith::RoundingMode nearest = arith::RoundingMode::to_nearest_even;
  return isGpuFloat8(getElementTypeOrSelf(op.getType())) &&
         !getElementTypeOrSelf(op.getIn()).isF64() &&
         op.getRoundingmode().value_or(nearest) == nearest && findSaturated(op);
}

namespace {

/// True for what is computed on tiles on a GPU, where words of them are
/// converted at once.
bool isOnTiles(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op->getParentOp());
  return generic && generic.getNumParallelLoops() == generic.getNumLoops();
}

/// `arith.truncf` to a small format. What the hardware does right stays.
struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  ExpandTruncF(MLIRContext *context, bool keepsBFloat)
      : OpRewritePattern(context), keepsBFloat(keepsBFloat) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isSmallFormat(type))
      return rewriter.notifyMatchFailure(op, "not a small format");
    arith::RoundingMode mode =
        op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
    bool towardZero = mode == arith::RoundingMode::toward_zero;
    if (!towardZero && mode != arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op, "unknown rounding mode");
    Value in = op.getIn();
    bool isKept =
        isa<Float16Type>(type) || (keepsBFloat && isa<BFloat16Type>(type));
    if ((isKept && in.getType().isF32() && !towardZero) ||
        (keepsBFloat && isGpuNarrowing(op) && isOnTiles(op)))
      return rewriter.notifyMatchFailure(op, "the hardware does it");
    rewriter.replaceOp(op, narrowSmallFloat(rewriter, op.getLoc(), in,
                                            cast<FloatType>(type), towardZero));
    return success();
  }

private:
  bool keepsBFloat;
};

//===----------------------------------------------------------------------===//
// Widening
//===----------------------------------------------------------------------===//

/// The bits of an f32 with the value of `raw`, 32 bits with a small float in
/// the low ones. Exact.
Value widen(Bits &bits, Value raw, FloatType type) {
  FloatFormat from(type), to(Float32Type::get(type.getContext()));
  if (from.bias == to.bias) // bf16 is the upper half of an f32.
    return bits.shl(raw, bits.constant(to.width - from.width));
  Value magnitude = bits.bitAnd(raw, bits.constant(from.signBit() - 1));
  Value sign = bits.shl(bits.bitAnd(raw, bits.constant(from.signBit())),
                        bits.constant(to.width - from.width));
  Value shift = bits.constant(to.mantissaBits - from.mantissaBits);
  Value result =
      bits.add(bits.shl(magnitude, shift),
               bits.constant(uint64_t(to.bias - from.bias) << to.mantissaBits));
  // A subnormal is its mantissa times the smallest one.
  FloatType f32 = bits.b.getF32Type();
  Value mantissa = arith::UIToFPOp::create(bits.b, bits.spread(f32), magnitude);
  APFloat smallest = APFloat::getSmallest(from.semantics);
  bool losesInfo = false;
  smallest.convert(to.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  Value unit = bits.constant(bits.b.getFloatAttr(f32, smallest));
  Value product = arith::MulFOp::create(bits.b, mantissa, unit);
  Value subnormal = arith::BitcastOp::create(bits.b, bits.type, product);
  result =
      bits.select(bits.isBelow(magnitude, bits.constant(from.implicitBit())),
                  subnormal, result);
  if (from.hasInfinity)
    result = bits.select(bits.equals(magnitude, bits.constant(from.overflow)),
                         bits.constant(to.overflow), result);
  Value isNan = from.hasNegativeZero
                    ? bits.isAbove(magnitude, bits.constant(from.hasInfinity
                                                                ? from.overflow
                                                                : from.largest))
                    : bits.equals(raw, bits.constant(from.nan));
  result = bits.select(isNan, bits.constant(to.nan), result);
  return bits.bitOr(result, sign);
}

} // namespace

Value triton_shared::widenSmallFloat(OpBuilder &builder, Location loc,
                                     Value value, Type to) {
  auto from = cast<FloatType>(getElementTypeOrSelf(value.getType()));
  Bits bits(builder, loc, 32, value.getType());
  Type integer = bits.spread(builder.getIntegerType(from.getWidth()));
  Value raw = arith::BitcastOp::create(builder, loc, integer, value);
  raw = arith::ExtUIOp::create(builder, loc, bits.type, raw);
  Value result = arith::BitcastOp::create(
      builder, loc, bits.spread(builder.getF32Type()), widen(bits, raw, from));
  if (to.isF64())
    return arith::ExtFOp::create(builder, loc, bits.spread(to), result);
  if (to.isF32())
    return result;
  // A wider small format: exact.
  return arith::TruncFOp::create(builder, loc, bits.spread(to), result);
}

namespace {

/// `arith.extf` from a small format other than f16.
struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  ExpandExtF(MLIRContext *context, bool keepsBFloat)
      : OpRewritePattern(context), keepsBFloat(keepsBFloat) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "is what a product means");
    Type from = op.getIn().getType();
    bool isKept = keepsBFloat && (isa<BFloat16Type>(from) ||
                                  (isGpuWidening(op) && isOnTiles(op)));
    if (!isSmallFormat(from) || isa<Float16Type>(from) || isKept)
      return rewriter.notifyMatchFailure(op, "the hardware does it");
    rewriter.replaceOp(
        op, widenSmallFloat(rewriter, op.getLoc(), op.getIn(), op.getType()));
    return success();
  }

private:
  bool keepsBFloat;
};

/// `value` and `rest`, which is less than half of its last bit, as an f64 that
/// rounds to fewer bits as their exact sum does: cut off towards zero, its last
/// bit set.
Value markRest(OpBuilder &builder, Location loc, Value value, Value rest) {
  Type type = builder.getI64Type();
  auto isNegative = [&](Value bits) -> Value {
    Value zero = arith::ConstantIntOp::create(builder, loc, type, 0);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, bits,
                                 zero);
  };
  Value bits = arith::BitcastOp::create(builder, loc, type, value);
  Value restBits = arith::BitcastOp::create(builder, loc, type, rest);
  Value one = arith::ConstantIntOp::create(builder, loc, type, 1);
  Value zero = arith::ConstantFloatOp::create(
      builder, loc, builder.getF64Type(), APFloat(0.0));
  Value isInexact = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::ONE, rest, zero);
  Value isTooLarge = isNegative(
      arith::XOrIOp::create(builder, loc, bits, restBits).getResult());
  Value cut = arith::SubIOp::create(
      builder, loc, bits,
      arith::ExtUIOp::create(builder, loc, type, isTooLarge));
  Value marked = arith::OrIOp::create(builder, loc, cut, one);
  Value chosen = arith::SelectOp::create(builder, loc, isInexact, marked, bits);
  return arith::BitcastOp::create(builder, loc, value.getType(), chosen);
}

/// `math.fma` on a small format is rounded once: f64 holds the product, and the
/// sum but for a rest.
struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSmallFormat(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a small format");
    Location loc = op.getLoc();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(
          arith::ExtFOp::create(rewriter, loc, rewriter.getF64Type(), operand));
    Value product =
        arith::MulFOp::create(rewriter, loc, operands[0], operands[1]);
    Value sum = arith::AddFOp::create(rewriter, loc, product, operands[2]);
    // What is lost of an f16 is below half of its last bit without doubt.
    if (!isa<Float16Type>(op.getType())) {
      auto subtract = [&](Value x, Value y) -> Value {
        return arith::SubFOp::create(rewriter, loc, x, y);
      };
      Value taken = subtract(sum, product);
      Value rest = arith::AddFOp::create(
          rewriter, loc, subtract(product, subtract(sum, taken)),
          subtract(operands[2], taken));
      sum = markRest(rewriter, loc, sum, rest);
    }
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), sum);
    return success();
  }
};

/// The passes that widen arithmetic allow to drop a pair of conversions
/// (`contract`), but each operation of a kernel rounds.
void keepEveryRounding(Operation *root) {
  root->walk([](Operation *op) {
    if (auto widening = dyn_cast<arith::ExtFOp>(op))
      widening.removeFastmathAttr();
    if (auto narrowing = dyn_cast<arith::TruncFOp>(op))
      narrowing.removeFastmathAttr();
  });
}

struct ExpandSmallFloats
    : triton_shared::impl::ExpandSmallFloatsBase<ExpandSmallFloats> {
  using ExpandSmallFloatsBase::ExpandSmallFloatsBase;

  void runOnOperation() override {
    keepEveryRounding(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandTruncF, ExpandExtF>(&getContext(), keepsBFloat);
    if (!keepsBFloat)
      patterns.add<ExpandFma>(&getContext());
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns),
                                  GreedyRewriteConfig().enableFolding(false))))
      return signalPassFailure();
    WalkResult walk = getOperation()->walk([](arith::TruncFOp op) {
      std::optional<arith::RoundingMode> mode = op.getRoundingmode();
      if (!mode || *mode == arith::RoundingMode::to_nearest_even)
        return WalkResult::advance();
      InFlightDiagnostic error =
          op.emitOpError("rounds in a way that no code is made for");
      error.attachNote()
          << "known are 'to_nearest_even', and 'toward_zero' to 8 and 16 bits";
      error.attachNote() << "leave out the rounding mode, or name one of these";
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
