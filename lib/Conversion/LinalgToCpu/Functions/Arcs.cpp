//===- Arcs.cpp - The inverses of sin, cos and tan, of f32 ----------------===//
//
// All in f64. The numbers are brought to where the power series converge fast,
// by a root or a quotient.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr double kPi = 0x1.921fb54442d18p+1;

/// asin x = y for |x| <= 1/2; elsewhere asin |x| = pi / 2 - 2 y. NaN beyond 1.
struct HalfArc {
  HalfArc(Floats &f, Value x) {
    Value magnitude = f.abs(x);
    isInner = f.isLess(magnitude, f.number(0.5));
    Value outerSquare = f.fma(magnitude, f.number(-0.5), f.number(0.5));
    Value square = f.select(isInner, f.square(x), outerSquare);
    Value number = f.select(isInner, magnitude, f.squareRoot(outerSquare));
    Value sum =
        f.polynomial(square, {0x1.1c342a464f24bp-5, 0x1.e980cc1882a45p-8,
                              0x1.9358c65372061p-6, 0x1.ed53920804101p-6,
                              0x1.6ddb269753cf0p-5, 0x1.3332a808deccap-4,
                              0x1.5555560916de4p-3});
    arc = f.fma(f.mul(square, number), sum, number);
  }

  Value isInner, arc;
};

/// atan of a number from 0 to 1.
Value atanOfFraction(Floats &f, Value x) {
  Value square = f.square(x);
  Value sum = f.polynomial(
      square,
      {-0x1.74eff9ecbfbf6p-11, 0x1.47a4251657642p-8, -0x1.0ddf2ee4ee4d8p-6,
       0x1.1c4d851a9446bp-5, -0x1.c02416b2f1737p-5, 0x1.29c12348144fep-4,
       -0x1.702e5af280415p-4, 0x1.c675a34ba69d7p-4, -0x1.248a9d169ec37p-3,
       0x1.99993e9a789a8p-3, -0x1.55555498b63dbp-2});
  return f.fma(f.mul(square, x), sum, x);
}

} // namespace

Value triton_shared::expandAsin(Floats &f, Value x) {
  Floats wide = f.inF64();
  x = wide.convert(x);
  HalfArc half(wide, x);
  Value outer = wide.fma(half.arc, wide.number(-2.0), wide.number(kPi / 2));
  Value result = wide.select(half.isInner, half.arc, outer);
  return f.convert(wide.copySign(result, x));
}

/// pi / 2 - asin x, without the cancellation near 1.
Value triton_shared::expandAcos(Floats &f, Value x) {
  Floats wide = f.inF64();
  x = wide.convert(x);
  HalfArc half(wide, x);
  Value isNegative = wide.isLess(x, wide.number(0.0));
  Value inner = wide.sub(wide.number(kPi / 2), wide.copySign(half.arc, x));
  Value twice = wide.add(half.arc, half.arc);
  Value outer =
      wide.select(isNegative, wide.sub(wide.number(kPi), twice), twice);
  return f.convert(wide.select(half.isInner, inner, outer));
}

/// atan x = pi / 2 - atan(1 / x) beyond 1.
Value triton_shared::expandAtan(Floats &f, Value x) {
  Floats wide = f.inF64();
  x = wide.convert(x);
  Value magnitude = wide.abs(x);
  Value one = wide.number(1.0);
  Value isLarge = wide.isLess(one, magnitude);
  Value fraction = wide.select(isLarge, wide.div(one, magnitude), magnitude);
  Value arc = atanOfFraction(wide, fraction);
  Value rest = wide.sub(wide.number(kPi / 2), arc);
  return f.convert(wide.copySign(wide.select(isLarge, rest, arc), x));
}

/// The angle of the smaller by the larger magnitude, counted from the axis and
/// in the direction that the signs say. Of NaN, the fraction is NaN.
Value triton_shared::expandAtan2(Floats &f, Value y, Value x) {
  Floats wide = f.inF64();
  x = wide.convert(x);
  y = wide.convert(y);
  Value width = wide.abs(x), height = wide.abs(y);
  Value isSteep = wide.isLess(width, height);
  Value smaller = wide.select(isSteep, width, height);
  Value larger = wide.select(isSteep, height, width);
  Value fraction = wide.div(smaller, larger);
  // The quotients of two zeros and of two infinities.
  Value one = wide.number(1.0);
  fraction = wide.select(wide.isEqual(smaller, larger), one, fraction);
  Value zero = wide.number(0.0);
  Value areZeros = wide.isEqual(wide.add(width, height), zero);
  fraction = wide.select(areZeros, zero, fraction);
  Value arc = atanOfFraction(wide, fraction);
  arc = wide.select(isSteep, wide.sub(wide.number(kPi / 2), arc), arc);
  arc = wide.select(wide.isSigned(x), wide.sub(wide.number(kPi), arc), arc);
  return f.convert(wide.copySign(arc, y));
}
