//===- Trigonometry.cpp - sin, cos and tan of f32 -------------------------===//
//
// All in f64: x less a multiple of pi / 2, for large numbers from |x| / (2 pi)
// modulo 1 by a product with enough bits of 1 / (2 pi), then polynomials of at
// most an eighth of a turn.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

#include <limits>

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// An angle as `quarters` of a turn and a rest of at most pi / 4 on both sides.
struct Angle {
  Value quarters, rest;
};

/// 1 / (2 pi) as the sum of three numbers, and what is left of it without the
/// bits that give whole turns with multiples of 2^41, which all floats from
/// 2^64 on are.
constexpr double kTurns[] = {0x1.45f306dc9c883p-3, -0x1.6b01ec5417056p-57,
                             -0x1.6447e493ad4cep-111};
constexpr double kTurnsOfLarge[] = {
    0x1.1054a7f09d5f4p-44, 0x1.f534ddc0db629p-98, 0x1.664f10e4107f9p-152};

/// `value` without its whole turns, exactly.
Value dropTurns(Floats &f, Value value) { return f.sub(value, f.round(value)); }

/// pi / 2 as the sum of two numbers.
constexpr double kQuarter[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/// From here on a number is large.
constexpr double kLarge = 0x1.0p28;

/// Of a number that is not negative, and not large: what the first product and
/// its difference lose is a part of 2^-53 of the rest.
Angle reduceSmall(Floats &f, Value x) {
  Rounded quarters = f.roundProduct(x, 0x1.45f306dc9c883p-1);
  Value count = f.negate(quarters.number);
  Value rest = f.fma(count, f.number(kQuarter[0]), x);
  return {quarters.integer, f.fma(count, f.number(kQuarter[1]), rest)};
}

/// Of any number that is not negative. The nearest that a float comes to a
/// multiple of pi / 2 is about 2^-30: every step keeps 2^-60 of a turn.
Angle reduceLarge(Floats &f, Value x) {
  Value isSmall = f.isLess(x, f.number(0x1.0p64));
  Value factors[3];
  for (int i = 0; i < 3; ++i)
    factors[i] =
        f.select(isSmall, f.number(kTurns[i]), f.number(kTurnsOfLarge[i]));

  // Two products as pairs without an error, and the end of a third.
  Value high = f.mul(x, factors[0]);
  Value highRest = f.fma(x, factors[0], f.negate(high));
  Value middle = f.mul(x, factors[1]);
  Value middleRest = f.fma(x, factors[1], f.negate(middle));
  Value end = f.fma(x, factors[2], middleRest);
  high = dropTurns(f, high);
  highRest = dropTurns(f, highRest);
  middle = dropTurns(f, middle);

  // Where the rest has bits above those of `high`, `high` has become zero, so
  // this is their sum and its error.
  Value sum = f.add(high, highRest);
  Value error = f.sub(highRest, f.sub(sum, high));
  Rounded quarters = f.roundProduct(f.add(sum, middle), 4.0);
  // The large parts first: what is left of them is exact.
  Value turns = f.fma(quarters.number, f.number(-0.25), sum);
  turns = f.add(f.add(turns, middle), f.add(error, end));
  return {quarters.integer, f.mul(turns, f.number(0x1.921fb54442d18p+2))};
}

/// Of a number that is not negative.
Angle reduce(Floats &f, Value x) {
  Angle small = reduceSmall(f, x);
  // Also what is no number.
  Value isLarge = f.isNotLess(x, f.number(kLarge));
  SmallVector<Value> found =
      f.replaceRare(isLarge, {small.quarters, small.rest}, [&] {
        Angle large = reduceLarge(f, x);
        return SmallVector<Value>{large.quarters, large.rest};
      });
  return {found[0], found[1]};
}

/// sin and cos of an angle of at most pi / 4.
struct SineAndCosine {
  SineAndCosine(Floats &f, Value x) {
    Value square = f.square(x);
    Value odd =
        f.polynomial(square, {0x1.6cd8392f26409p-19, -0x1.a00f9d259ad07p-13,
                              0x1.11110895ae2c8p-7, -0x1.5555554cb9151p-3});
    Value even =
        f.polynomial(square, {-0x1.23d7e5ed719f6p-22, 0x1.a00f10eff104fp-16,
                              -0x1.6c16b3ff3bb85p-10, 0x1.55555546f2babp-5,
                              -0x1.ffffffffebf98p-2});
    sine = f.fma(f.mul(square, x), odd, x);
    cosine = f.fma(square, even, f.number(1.0));
  }

  Value sine, cosine;
};

/// `value` with its sign turned where the sign bit of `bits` is set.
Value flipSign(Floats &f, Value value, Value bits) {
  Value sign = f.andBits(bits, f.integer(std::numeric_limits<int64_t>::min()));
  return f.fromBits(f.xorBits(f.bits(value), sign));
}

} // namespace

Value triton_shared::expandSin(Floats &f, Value x) {
  Floats wide = f.inF64();
  x = wide.convert(x);
  Angle angle = reduce(wide, wide.abs(x));
  SineAndCosine parts(wide, angle.rest);
  Value isOdd = wide.hasBit(angle.quarters, 0);
  Value result = wide.select(isOdd, parts.cosine, parts.sine);
  Value sign = wide.xorBits(wide.shiftLeft(angle.quarters, 62), wide.bits(x));
  return f.convert(flipSign(wide, result, sign));
}

/// sin(x + pi / 2).
Value triton_shared::expandCos(Floats &f, Value x) {
  Floats wide = f.inF64();
  Angle angle = reduce(wide, wide.abs(wide.convert(x)));
  SineAndCosine parts(wide, angle.rest);
  Value quarters = wide.addBits(angle.quarters, wide.integer(1));
  Value isOdd = wide.hasBit(quarters, 0);
  Value result = wide.select(isOdd, parts.cosine, parts.sine);
  return f.convert(flipSign(wide, result, wide.shiftLeft(quarters, 62)));
}

/// sin / cos, or -cos / sin a quarter later.
Value triton_shared::expandTan(Floats &f, Value x) {
  Floats wide = f.inF64();
  x = wide.convert(x);
  Angle angle = reduce(wide, wide.abs(x));
  SineAndCosine parts(wide, angle.rest);
  Value isOdd = wide.hasBit(angle.quarters, 0);
  Value result = wide.div(wide.select(isOdd, parts.cosine, parts.sine),
                          wide.select(isOdd, parts.sine, parts.cosine));
  Value sign = wide.xorBits(wide.shiftLeft(angle.quarters, 63), wide.bits(x));
  return f.convert(flipSign(wide, result, sign));
}
