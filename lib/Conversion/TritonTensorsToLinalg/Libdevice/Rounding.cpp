//===- Rounding.cpp - libdevice functions that round one way --------------===//
//
// `*_rd`, `*_ru` and `*_rz` round down, up and towards zero. LLVM computes to
// nearest; what that lost is known by its sign, which says whether the result
// is one step too high or too low.
//
//===----------------------------------------------------------------------===//

#include "../MapElements.h"
#include "LibraryFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

enum class Direction { Down, Up, TowardsZero };

/// How a result lies to the exact value, two i1: the exact value is above it,
/// or below it.
struct Excess {
  Value above, below;
};

//===----------------------------------------------------------------------===//
// The sign of a sum of f64 numbers
//===----------------------------------------------------------------------===//

/// Arithmetic on f64 and on the bits of it.
class Doubles {
public:
  Doubles(OpBuilder &builder, Location loc) : b(loc, builder) {}

  Value constant(double value) {
    return createScalar(b, b.getLoc(), b.getF64Type(), value);
  }
  Value bits(uint64_t value) {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(b.getI64Type(), APInt(64, value)));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value negate(Value x) { return arith::NegFOp::create(b, x); }
  Value select(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, c, x, y);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value isZero(Value x) {
    return compare(arith::CmpFPredicate::OEQ, x, constant(0));
  }
  Value isFinite(Value x) {
    return compare(arith::CmpFPredicate::OLT, abs(x),
                   constant(std::numeric_limits<double>::infinity()));
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }

  /// The sum as a rounded number and what rounding took off it.
  std::pair<Value, Value> twoSum(Value x, Value y) {
    Value sum = add(x, y);
    Value fromY = sub(sum, x);
    Value fromX = sub(sum, fromY);
    return {sum, add(sub(x, fromX), sub(y, fromY))};
  }

  ImplicitLocOpBuilder b;
};

/// `mantissa * 2^exponent`, the mantissa's size from 1 to 2; for zero, a
/// mantissa of zero.
struct Parts {
  Value mantissa, exponent;
};

} // namespace

static Parts takeApart(Doubles &f, Value x) {
  Value isTiny =
      f.compare(arith::CmpFPredicate::OLT, f.abs(x), f.constant(0x1p-1022));
  Value normal = f.select(isTiny, f.mul(x, f.constant(0x1p64)), x);
  Value pattern = arith::BitcastOp::create(f.b, f.b.getI64Type(), normal);
  Value field = arith::AndIOp::create(
      f.b, arith::ShRUIOp::create(f.b, pattern, f.bits(52)), f.bits(0x7FF));
  Value bias = f.select(isTiny, f.bits(1023 + 64), f.bits(1023));
  Value own = arith::AndIOp::create(f.b, pattern, f.bits(0x800FFFFFFFFFFFFF));
  Value mantissa = arith::BitcastOp::create(
      f.b, f.b.getF64Type(),
      arith::OrIOp::create(f.b, own, f.bits(0x3FF0000000000000)));
  return {f.select(f.isZero(x), x, mantissa),
          arith::SubIOp::create(f.b, field, bias)};
}

/// `parts * 2^-scale`. What lies more than 2^400 away from 1 is put there: it
/// counts by its sign alone.
static Value scaled(Doubles &f, Parts parts, Value scale) {
  Value places = arith::SubIOp::create(f.b, parts.exponent, scale);
  places = arith::MaxSIOp::create(f.b, places, f.bits(uint64_t(-400)));
  places = arith::MinSIOp::create(f.b, places, f.bits(400));
  Value power = arith::ShLIOp::create(
      f.b, arith::AddIOp::create(f.b, places, f.bits(1023)), f.bits(52));
  return f.mul(parts.mantissa,
               arith::BitcastOp::create(f.b, f.b.getF64Type(), power));
}

/// The sign of `x * y + z - r`, exactly, where `r` is zero or that sum rounded.
/// Neither if an operand is not finite.
///
/// All is scaled to be near 1. A product much smaller than `z` is replaced by
/// one that is just as negligible. Then the four numbers are added to a sum in
/// four parts that do not overlap (J. R. Shewchuk, Adaptive Precision
/// Floating-Point Arithmetic, 1997), whose sign is that of its largest part.
static Excess signOfSum(Doubles &f, Value x, Value y, Value z, Value r) {
  Parts px = takeApart(f, x), py = takeApart(f, y);
  Parts pz = takeApart(f, z), pr = takeApart(f, r);
  Value exponent = arith::AddIOp::create(f.b, px.exponent, py.exponent);
  Value zIsZero = f.isZero(z);
  Value gap = arith::SubIOp::create(f.b, pz.exponent, exponent);
  Value isNegligible =
      arith::CmpIOp::create(f.b, arith::CmpIPredicate::sgt, gap, f.bits(200));
  isNegligible =
      f.select(zIsZero, arith::ConstantIntOp::create(f.b, 0, 1), isNegligible);
  Value scale = f.select(isNegligible, pz.exponent, exponent);

  Value high = f.mul(px.mantissa, py.mantissa);
  Value low =
      math::FmaOp::create(f.b, px.mantissa, py.mantissa, f.negate(high));
  high = f.select(isNegligible, f.mul(high, f.constant(0x1p-200)), high);
  low = f.select(isNegligible, f.constant(0), low);

  SmallVector<Value> parts = {low, high}; // From small to large.
  for (Value term : {scaled(f, pz, scale), f.negate(scaled(f, pr, scale))}) {
    Value carried = term;
    for (Value &part : parts)
      std::tie(carried, part) = f.twoSum(carried, part);
    parts.push_back(carried);
  }
  Value leading = parts.front();
  for (Value part : ArrayRef(parts).drop_front())
    leading = f.select(f.isZero(part), leading, part);

  Value isFinite = f.both(f.both(f.isFinite(x), f.isFinite(y)),
                          f.both(f.isFinite(z), f.isFinite(r)));
  Value zero = f.constant(0);
  return {
      f.both(isFinite, f.compare(arith::CmpFPredicate::OGT, leading, zero)),
      f.both(isFinite, f.compare(arith::CmpFPredicate::OLT, leading, zero))};
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

/// Where finite operands gave an infinity, the exact value lies before it.
static Excess withOverflow(Doubles &f, Excess excess, Value result,
                           Value operandsAreFinite) {
  double infinity = std::numeric_limits<double>::infinity();
  auto isAt = [&](double end) {
    return f.both(operandsAreFinite, f.compare(arith::CmpFPredicate::OEQ,
                                               result, f.constant(end)));
  };
  return {arith::OrIOp::create(f.b, excess.above, isAt(-infinity)),
          arith::OrIOp::create(f.b, excess.below, isAt(infinity))};
}

/// The neighbour of `nearest` where it lies on the wrong side of the exact
/// value. Its pattern of bits is one more or one less, for the smallest numbers
/// of the other sign it is made anew.
static Value step(OpBuilder &builder, Location loc, Value nearest,
                  Excess excess, Direction direction) {
  ImplicitLocOpBuilder b(loc, builder);
  unsigned width = nearest.getType().getIntOrFloatBitWidth();
  Type bits = b.getIntegerType(width);
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(bits, value));
  };
  Value pattern = arith::BitcastOp::create(b, bits, nearest);
  Value zero = createScalar(b, loc, nearest.getType(), 0);
  Value one = constant(APInt(width, 1));
  Value isNegative =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, nearest, zero);
  Value isPositive =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, nearest, zero);
  Value smaller = arith::SubIOp::create(b, pattern, one);
  Value larger = arith::AddIOp::create(b, pattern, one);
  APInt smallest(width, 1);

  Value result = pattern;
  if (direction == Direction::TowardsZero) {
    Value tooLow = arith::AndIOp::create(b, isNegative, excess.above);
    Value tooHigh = arith::AndIOp::create(b, isPositive, excess.below);
    result = arith::SelectOp::create(
        b, arith::OrIOp::create(b, tooLow, tooHigh), smaller, pattern);
  } else {
    bool isUp = direction == Direction::Up;
    Value grows = isUp ? isPositive : isNegative;
    Value shrinks = isUp ? isNegative : isPositive;
    Value first =
        constant(isUp ? smallest : smallest | APInt::getSignMask(width));
    Value moved = arith::SelectOp::create(b, grows, larger, first);
    moved = arith::SelectOp::create(b, shrinks, smaller, moved);
    result = arith::SelectOp::create(b, isUp ? excess.above : excess.below,
                                     moved, pattern);
  }
  return arith::BitcastOp::create(b, nearest.getType(), result);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static Value widen(OpBuilder &builder, Location loc, Value value) {
  Type f64 = builder.getF64Type();
  return value.getType() == f64
             ? value
             : arith::ExtFOp::create(builder, loc, f64, value);
}

/// Rounded down, an exact sum of zero is -0.0 unless both terms are positive.
static Value signZero(Doubles &f, Value result, Excess excess, Value left,
                      Value right) {
  Type type = result.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Type integer = f.b.getIntegerType(width);
  auto bitsOf = [&](Value value) -> Value {
    return arith::BitcastOp::create(f.b, integer, value);
  };
  Value zero = arith::ConstantOp::create(f.b, f.b.getZeroAttr(integer));
  Value either = arith::OrIOp::create(f.b, bitsOf(left), bitsOf(right));
  Value isSigned =
      arith::CmpIOp::create(f.b, arith::CmpIPredicate::slt, either, zero);
  Value isZero =
      arith::CmpFOp::create(f.b, arith::CmpFPredicate::OEQ, result,
                            createScalar(f.b, f.b.getLoc(), type, 0));
  Value inexact = arith::OrIOp::create(f.b, excess.above, excess.below);
  Value isExact = arith::XOrIOp::create(
      f.b, inexact, arith::ConstantIntOp::create(f.b, 1, 1));
  Value turns = f.both(f.both(isZero, isExact), isSigned);
  Value negativeZero = arith::ConstantOp::create(
      f.b, f.b.getFloatAttr(
               type, APFloat::getZero(cast<FloatType>(type).getFloatSemantics(),
                                      /*Negative=*/true)));
  return f.select(turns, negativeZero, result);
}

/// `x * y + z` where each of x, y, z is an operand, and the sign of `product`
/// is that of `x * y`.
static Value roundedSum(OpBuilder &builder, Location loc, Value nearest,
                        Value x, Value y, Value z, Value product,
                        Direction direction) {
  Doubles f(builder, loc);
  Value wx = widen(f.b, loc, x), wy = widen(f.b, loc, y),
        wz = widen(f.b, loc, z), wr = widen(f.b, loc, nearest);
  Excess excess = signOfSum(f, wx, wy, wz, wr);
  Value isFinite =
      f.both(f.both(f.isFinite(wx), f.isFinite(wy)), f.isFinite(wz));
  excess = withOverflow(f, excess, wr, isFinite);
  Value result = step(builder, loc, nearest, excess, direction);
  if (direction == Direction::Down)
    result = signZero(f, result, excess, product, z);
  return result;
}

static Value roundedAdd(OpBuilder &builder, Location loc, ValueRange in,
                        Type type, Direction direction) {
  Value sum = arith::AddFOp::create(builder, loc, in[0], in[1]);
  Value one = createScalar(builder, loc, type, 1);
  return roundedSum(builder, loc, sum, in[0], one, in[1], in[0], direction);
}

static Value roundedSub(OpBuilder &builder, Location loc, ValueRange in,
                        Type type, Direction direction) {
  Value negated = arith::NegFOp::create(builder, loc, in[1]);
  return roundedAdd(builder, loc, {in[0], negated}, type, direction);
}

static Value roundedMul(OpBuilder &builder, Location loc, ValueRange in,
                        Type type, Direction direction) {
  Value product = arith::MulFOp::create(builder, loc, in[0], in[1]);
  Value zero = createScalar(builder, loc, type, 0);
  // The sign of an exact zero is the same whichever way it is rounded.
  Doubles f(builder, loc);
  Value x = widen(builder, loc, in[0]), y = widen(builder, loc, in[1]),
        r = widen(builder, loc, product);
  Excess excess = signOfSum(f, x, y, widen(builder, loc, zero), r);
  excess = withOverflow(f, excess, r, f.both(f.isFinite(x), f.isFinite(y)));
  return step(builder, loc, product, excess, direction);
}

static Value roundedFma(OpBuilder &builder, Location loc, ValueRange in, Type,
                        Direction direction) {
  Value sum = math::FmaOp::create(builder, loc, in[0], in[1], in[2]);
  Value product = arith::MulFOp::create(builder, loc, in[0], in[1]);
  return roundedSum(builder, loc, sum, in[0], in[1], in[2], product, direction);
}

/// The exact quotient is above `q` where `x - q * y` has the sign of `y`.
static Value roundedDiv(OpBuilder &builder, Location loc, ValueRange in,
                        Type type, Direction direction) {
  Doubles f(builder, loc);
  Value quotient = createExactQuotient(builder, loc, in[0], in[1]);
  Value x = widen(builder, loc, in[0]), y = widen(builder, loc, in[1]),
        q = widen(builder, loc, quotient);
  Excess rest = signOfSum(f, f.negate(q), y, x, f.constant(0));
  Value isNegative = f.compare(arith::CmpFPredicate::OLT, y, f.constant(0));
  Excess excess = {f.select(isNegative, rest.below, rest.above),
                   f.select(isNegative, rest.above, rest.below)};
  Value isQuotient =
      f.both(f.both(f.isFinite(x), f.isFinite(y)),
             f.compare(arith::CmpFPredicate::ONE, y, f.constant(0)));
  excess = withOverflow(f, excess, q, isQuotient);
  return step(builder, loc, quotient, excess, direction);
}

static Value roundedReciprocal(OpBuilder &builder, Location loc, ValueRange in,
                               Type type, Direction direction) {
  Value one = createScalar(builder, loc, type, 1);
  return roundedDiv(builder, loc, {one, in[0]}, type, direction);
}

static Value roundedRoot(OpBuilder &builder, Location loc, ValueRange in, Type,
                         Direction direction) {
  Doubles f(builder, loc);
  Value root = createExactRoot(builder, loc, in[0]);
  Value x = widen(builder, loc, in[0]), r = widen(builder, loc, root);
  Excess excess = signOfSum(f, f.negate(r), r, x, f.constant(0));
  return step(builder, loc, root, excess, direction);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Value roundedNarrow(OpBuilder &builder, Location loc, ValueRange in,
                           Type type, Direction direction) {
  Value nearest = arith::TruncFOp::create(builder, loc, type, in[0]);
  Value back = arith::ExtFOp::create(builder, loc, in[0].getType(), nearest);
  Excess excess = {arith::CmpFOp::create(
                       builder, loc, arith::CmpFPredicate::OGT, in[0], back),
                   arith::CmpFOp::create(
                       builder, loc, arith::CmpFPredicate::OLT, in[0], back)};
  return step(builder, loc, nearest, excess, direction);
}

/// An integer is compared with the float it became, which is whole; beyond the
/// largest integer there is only one, the power of two above it.
template <bool isSigned>
static Value roundedFromInteger(OpBuilder &builder, Location loc, ValueRange in,
                                Type type, Direction direction) {
  ImplicitLocOpBuilder b(loc, builder);
  Type integer = in[0].getType();
  unsigned width = integer.getIntOrFloatBitWidth();
  Value nearest = isSigned ? Value(arith::SIToFPOp::create(b, type, in[0]))
                           : Value(arith::UIToFPOp::create(b, type, in[0]));
  Value end =
      createScalar(b, loc, type, std::ldexp(1.0, isSigned ? width - 1 : width));
  Value isEnd =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, nearest, end);
  Value zero = createScalar(b, loc, type, 0);
  Value inside = arith::SelectOp::create(b, isEnd, zero, nearest);
  Value back = isSigned ? Value(arith::FPToSIOp::create(b, integer, inside))
                        : Value(arith::FPToUIOp::create(b, integer, inside));
  using arith::CmpIPredicate;
  Value above = arith::CmpIOp::create(
      b, isSigned ? CmpIPredicate::sgt : CmpIPredicate::ugt, in[0], back);
  Value below = arith::CmpIOp::create(
      b, isSigned ? CmpIPredicate::slt : CmpIPredicate::ult, in[0], back);
  Value no = arith::ConstantIntOp::create(b, 0, 1);
  Excess excess = {arith::SelectOp::create(b, isEnd, no, above),
                   arith::OrIOp::create(b, isEnd, below)};
  return step(builder, loc, nearest, excess, direction);
}

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

using RoundedBuilder = Value (*)(OpBuilder &, Location, ValueRange, Type,
                                 Direction);

ScalarBuilder triton_shared::findRoundedFunction(StringRef name) {
  auto [operation, mode] = name.rsplit('_');
  std::optional<Direction> direction =
      llvm::StringSwitch<std::optional<Direction>>(mode)
          .Case("rd", Direction::Down)
          .Case("ru", Direction::Up)
          .Case("rz", Direction::TowardsZero)
          .Default(std::nullopt);
  auto build = llvm::StringSwitch<RoundedBuilder>(operation)
                   .Cases({"fadd", "dadd"}, roundedAdd)
                   .Cases({"fsub", "dsub"}, roundedSub)
                   .Cases({"fmul", "dmul"}, roundedMul)
                   .Cases({"fdiv", "ddiv"}, roundedDiv)
                   .Cases({"frcp", "drcp"}, roundedReciprocal)
                   .Cases({"fsqrt", "dsqrt"}, roundedRoot)
                   .Cases({"fma", "fmaf"}, roundedFma)
                   .Case("double2float", roundedNarrow)
                   .Cases({"int2float", "ll2float", "ll2double"},
                          roundedFromInteger<true>)
                   .Cases({"uint2float", "ull2float", "ull2double"},
                          roundedFromInteger<false>)
                   .Default(nullptr);
  if (!direction || !build)
    return {};
  return [build, direction](OpBuilder &builder, Location loc, ValueRange in,
                            Type type) {
    return build(builder, loc, in, type, *direction);
  };
}
