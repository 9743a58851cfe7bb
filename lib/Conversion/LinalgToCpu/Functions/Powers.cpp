//===- Powers.cpp - pow and cbrt of f32 -----------------------------------===//
//
// Both in f64, where all floats are normal numbers and no power of two that
// matters overflows.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

#include <limits>

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// log2 |x| of any number.
Value logOfMagnitude(Floats &f, Value x) {
  Value magnitude = f.abs(x);
  Value result = buildLog2InF64(f, magnitude);
  Value zero = f.number(0.0), infinity = f.infinity();
  Value isFinite = f.isLess(magnitude, infinity);
  result = f.select(isFinite, result, magnitude);
  Value lowest = f.number(-std::numeric_limits<double>::infinity());
  return f.select(f.isEqual(magnitude, zero), lowest, result);
}

} // namespace

/// 2^(y log2 |x|), with the sign of x for odd integers y.
Value triton_shared::expandPow(Floats &narrow, Value x, Value y) {
  Floats f = narrow.inF64();
  x = f.convert(x);
  y = f.convert(y);
  Value log = logOfMagnitude(f, x);
  // Zero times infinity or NaN counts as zero: 1 to any power and anything to
  // the power of 0 are 1, and -1 to an infinite power.
  Value zero = f.number(0.0);
  Value isOne = f.either(f.isEqual(log, zero), f.isEqual(y, zero));
  Value power = buildExp2InF64(f, f.select(isOne, zero, f.mul(y, log)));

  Value isFraction = f.isUnequal(f.round(y), y);
  Value half = f.mul(y, f.number(0.5));
  Value isHalfFraction = f.isUnequal(f.round(half), half);
  // An integer whose half is none; half of a fraction is none, either.
  Value isOdd = f.xorBits(isFraction, isHalfFraction);
  Value result = f.select(isOdd, f.copySign(power, x), power);

  // NaN is no integer, either.
  Value lowest = f.number(-std::numeric_limits<double>::infinity());
  Value isNegative = f.both(f.isLess(lowest, x), f.isLess(x, zero));
  result = f.select(f.both(isNegative, isFraction), f.nan(), result);
  return narrow.convert(result);
}

/// Of x = 2^(3 q + r) (1 + y) with r from -1 to 1, it is 2^q times that of 2^r
/// times a polynomial in y.
Value triton_shared::expandCbrt(Floats &narrow, Value x) {
  Floats f = narrow.inF64();
  x = f.convert(x);
  Value magnitude = f.abs(x);
  auto [exponent, fraction, biased] =
      f.decompose(magnitude, /*mayBeSubnormal=*/false);
  Rounded third = f.roundProduct(exponent, 1.0 / 3.0);
  Value rest = f.fma(third.number, f.number(-3.0), exponent);
  Value zero = f.number(0.0), one = f.number(1.0);
  Value factor =
      f.select(f.isLess(zero, rest), f.number(0x1.428a2f98d728bp+0), one);
  factor =
      f.select(f.isLess(rest, zero), f.number(0x1.965fea53d6e3dp-1), factor);
  Value root = f.polynomial(
      fraction,
      {-0x1.284db6d01b240p-7, 0x1.02ed8e424b995p-6, -0x1.131b69dd8e6d1p-6,
       0x1.349c3ad46e4d3p-6, -0x1.7f1e1c5cf7077p-6, 0x1.ee849b5113f4ep-6,
       -0x1.51253cf8b2143p-5, 0x1.f9adb85263a02p-5, -0x1.c71c6709bcab0p-4,
       0x1.5555555908fe9p-2, 0x1.ffffffff4fc92p-1});
  Value result = f.mul(f.mul(root, factor), f.powerOfTwo(third.integer));
  result = f.copySign(result, x);
  // Zeros, infinities and NaN are their own roots.
  Value isFinite = f.isLess(magnitude, f.infinity());
  Value isOrdinary = f.both(f.isLess(zero, magnitude), isFinite);
  return narrow.convert(f.select(isOrdinary, result, x));
}
