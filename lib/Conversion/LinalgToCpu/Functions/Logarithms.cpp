//===- Logarithms.cpp - log and what is made of it ------------------------===//

#include "ExpandMath.h"

#include <limits>

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// (ln(1 + x) - x + x^2 / 2) / x^3 for a fraction as of `decompose`.
constexpr double kTailF32[] = {0x1.14573ep-4,  -0x1.de3bf8p-4, 0x1.e6f08cp-4,
                               -0x1.fc220ep-4, 0x1.233766p-3,  -0x1.555c4ep-3,
                               0x1.99a4b6p-3,  -0x1.000006p-2, 0x1.555548p-2};
constexpr double kTailF64[] = {
    0x1.b9090a80bff30p-6,  -0x1.f18a23b202559p-5, 0x1.0a93de319febcp-4,
    -0x1.ce7d687e8d7a3p-5, 0x1.cfa548054677bp-5,  -0x1.fc0007a384951p-5,
    0x1.11df9118f546dp-4,  -0x1.24d4053107326p-4, 0x1.3b09bc9962e31p-4,
    -0x1.55510b5a0002ap-4, 0x1.745d580692729p-4,  -0x1.9999c21923fe2p-4,
    0x1.c71c7119f0becp-4,  -0x1.ffffff2a48dc9p-4, 0x1.2492492453e8ap-3,
    -0x1.55555556713f3p-3, 0x1.999999999bf51p-3,  -0x1.fffffffffee88p-3,
    0x1.5555555555546p-2};
/// log2(1 + x) / x for such a fraction, to 35 bits.
constexpr double kShortLog2F64[] = {
    0x1.3ce87a0e2703ep-4,  -0x1.2488d49d76d1dp-3, 0x1.2871dff9b513cp-3,
    -0x1.252f3d3953fecp-3, 0x1.45291aab7c836p-3,  -0x1.714170798d42ep-3,
    0x1.a63f44438128ep-3,  -0x1.ec72b59be5675p-3, 0x1.277651fcd41a6p-2,
    -0x1.7154709787c91p-2, 0x1.ec709ebb912bap-2,  -0x1.715476565d5a5p-1,
    0x1.71547652a1ea3p+0};

/// ln(1 + x) - x + x^2 / 2.
Value logTail(Floats &f, Value x, Value square) {
  Value sum = f.polynomial(x, f.choose<ArrayRef<double>>(kTailF32, kTailF64));
  return f.mul(f.mul(sum, x), square);
}

/// `result`, or what a logarithm is where `x` is infinite, zero or no positive
/// number.
Value limitLog(Floats &f, Value x, Value result) {
  Value zero = f.number(0.0);
  Value lowest = f.number(-std::numeric_limits<double>::infinity());
  Value infinity = f.infinity();
  result = f.select(f.isEqual(x, infinity), infinity, result);
  result = f.select(f.isEqual(x, zero), lowest, result);
  return f.select(f.isAtLeast(x, zero), result, f.nan());
}

/// e ln 2 + ln(1 + x), where ln 2 is the sum of two numbers, the larger with
/// so few bits that its product with an exponent is exact.
Value sumLog(Floats &f, Value exponent, Value x) {
  Value square = f.square(x);
  Value rest = f.number(f.choose(-0x1.bd0106p-13, 0x1.ef35793c76730p-45));
  Value low = f.fma(exponent, rest, logTail(f, x, square));
  low = f.fma(square, f.number(-0.5), low);
  Value sum = f.add(x, low);
  Value ln2 = f.number(f.choose(0x1.63p-1, 0x1.62e42fefa3800p-1));
  return f.fma(exponent, ln2, sum);
}

/// (1 + x) 2^-e - 1, without the rounding error of 1 + x.
Value exactFraction(Floats &f, Value x, Value inversePower) {
  return f.fma(x, inversePower, f.sub(inversePower, f.number(1.0)));
}

/// ln(1 + x) in f64 for numbers above -1 that lie in the range of f32 or its
/// square. NaN and the limits are those of 1 + x.
Value log1pInF64(Floats &f, Value x) {
  Value above = f.add(x, f.number(1.0));
  Decomposed parts = f.decompose(above, /*mayBeSubnormal=*/false);
  Value fraction = exactFraction(f, x, f.inversePower(parts));
  Value sum =
      f.fma(fraction, f.polynomial(fraction, kShortLog2F64), parts.exponent);
  Value result = f.mul(sum, f.number(0x1.62e42fefa39efp-1));
  return limitLog(f, above, result);
}

} // namespace

Value triton_shared::expandLog(Floats &f, Value x) {
  auto [exponent, fraction, biased] = f.decompose(x);
  return limitLog(f, x, sumLog(f, exponent, fraction));
}

/// log2 x = e + log2(1 + y), and log2 e = 1 + a number.
Value triton_shared::expandLog2(Floats &f, Value x) {
  auto [exponent, fraction, biased] = f.decompose(x);
  Value square = f.square(fraction);
  Value low = f.fma(square, f.number(-0.5), logTail(f, fraction, square));
  Value factor = f.number(0x1.c551d94ae0bf8p-2);
  Value sum = f.fma(low, factor, f.mul(fraction, factor));
  sum = f.add(f.add(sum, low), fraction);
  return limitLog(f, x, f.add(sum, exponent));
}

Value triton_shared::buildLog2InF64(Floats &f, Value x) {
  auto [exponent, fraction, biased] = f.decompose(x, /*mayBeSubnormal=*/false);
  return f.fma(fraction, f.polynomial(fraction, kShortLog2F64), exponent);
}

/// log2 x in f64, which is exact enough to give the powers of ten back.
Value triton_shared::expandLog10(Floats &f, Value x) {
  Floats wide = f.inF64();
  Value log2 = buildLog2InF64(wide, wide.convert(x));
  Value result = f.convert(wide.mul(log2, wide.number(0x1.34413509f79ffp-2)));
  return limitLog(f, x, result);
}

/// With 1 + x = 2^e (1 + y), y is computed from x itself: 1 + x is rounded.
Value triton_shared::expandLog1p(Floats &f, Value x) {
  Value above = f.add(x, f.number(1.0));
  Decomposed parts = f.decompose(above, /*mayBeSubnormal=*/false);
  Value fraction = exactFraction(f, x, f.inversePower(parts));
  // Far above, 2^-e may be no number, and 1 does not count.
  Value isFar = f.isLess(f.number(f.choose(0x1.0p25, 0x1.0p54)), x);
  fraction = f.select(isFar, parts.fraction, fraction);
  Value result = limitLog(f, above, sumLog(f, parts.exponent, fraction));
  return f.copySign(result, x);
}

/// ln(1 + y) with y = x + x^2 / (1 + sqrt(1 + x^2)).
Value triton_shared::expandAsinh(Floats &f, Value x) {
  Floats wide = f.inF64();
  x = wide.convert(x);
  Value magnitude = wide.abs(x);
  Value square = wide.square(x);
  Value one = wide.number(1.0);
  Value root = wide.squareRoot(wide.add(square, one));
  Value rest = wide.div(square, wide.add(root, one));
  Value result = log1pInF64(wide, wide.add(magnitude, rest));
  Value infinity = wide.infinity();
  result = wide.select(wide.isEqual(magnitude, infinity), infinity, result);
  return f.convert(wide.copySign(result, x));
}

/// ln(1 + y) with y = t + sqrt(t (t + 2)) and t = x - 1.
Value triton_shared::expandAcosh(Floats &f, Value x) {
  Floats wide = f.inF64();
  x = wide.convert(x);
  Value one = wide.number(1.0);
  Value t = wide.sub(x, one);
  Value root = wide.squareRoot(wide.mul(t, wide.add(x, one)));
  Value result = log1pInF64(wide, wide.add(t, root));
  result = wide.select(wide.isLess(x, one), wide.nan(), result);
  return f.convert(result);
}

/// ln(1 + y) / 2 with y = 2 x / (1 - x).
Value triton_shared::expandAtanh(Floats &f, Value x) {
  Floats wide = f.inF64();
  x = wide.convert(x);
  Value magnitude = wide.abs(x);
  Value quotient = wide.div(wide.add(magnitude, magnitude),
                            wide.sub(wide.number(1.0), magnitude));
  Value result = wide.mul(log1pInF64(wide, quotient), wide.number(0.5));
  return f.convert(wide.copySign(result, x));
}
