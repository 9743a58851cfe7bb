//===- Exponentials.cpp - exp and what is made of it ----------------------===//

#include "ExpandMath.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// What the exponential function needs in one format.
struct ExpFormat {
  /// Beyond, results are zero and infinite.
  double lowest, highest;
  /// ln 2 as the sum of two numbers.
  double ln2, ln2Rest;
};

constexpr ExpFormat kExpF32 = {-104.0, 89.0, 0x1.62e400p-1, 0x1.7f7d1cp-20};
constexpr ExpFormat kExpF64 = {-746.0, 710.0, 0x1.62e42fefa39efp-1,
                               0x1.abc9e3b39803fp-56};

/// (e^x - 1 - x) / x^2 for |x| <= ln 2 / 2.
constexpr double kTailF32[] = {0x1.6850e4p-10, 0x1.123bccp-7, 0x1.555b98p-5,
                               0x1.55548ep-3, 0x1.fffff8p-2};
/// The same with a small error relative to e^x - 1.
constexpr double kTailOfM1F32[] = {0x1.a1a166p-13, 0x1.6d7486p-10,
                                   0x1.111090p-7,  0x1.5554aep-5,
                                   0x1.555556p-3,  0x1.000000p-1};
constexpr double kTailF64[] = {
    0x1.1f954d1e3e439p-29, 0x1.af5ebf270a614p-26, 0x1.27e4c5b0f91b8p-22,
    0x1.71ddf8538c8d5p-19, 0x1.a01a01b0ae7c3p-16, 0x1.a01a01afe52d1p-13,
    0x1.6c16c16c14470p-10, 0x1.111111110f6afp-7,  0x1.555555555555ap-5,
    0x1.5555555555559p-3,  0x1.0000000000000p-1};

/// 2^x for |x| <= 1/2, without the 1, by x.
constexpr double kPowerF32[] = {0x1.41fbbap-13, 0x1.5f3e54p-10, 0x1.3b2d4cp-7,
                                0x1.c6aee8p-5,  0x1.ebfbdcp-3,  0x1.62e430p-1};
constexpr double kPowerF64[] = {
    0x1.ea182682cb287p-32, 0x1.e61ca95e1cb9cp-28, 0x1.b524ce03ed51bp-24,
    0x1.62bfc6cc24db1p-20, 0x1.ffcbfc7c389c4p-17, 0x1.4309130f2fbf0p-13,
    0x1.5d87fe78a0e69p-10, 0x1.3b2ab6fb9ff55p-7,  0x1.c6b08d704a0d7p-5,
    0x1.ebfbdff82c5a5p-3,  0x1.62e42fefa39efp-1};
constexpr double kShortPowerF64[] = {
    0x1.fde60bf935856p-17, 0x1.445c83ff87225p-13, 0x1.5d8a85ed20612p-10,
    0x1.3b29f39d60fc5p-7,  0x1.c6b08ac0855c8p-5,  0x1.ebfbe077870b7p-3,
    0x1.62e42ff0e1823p-1};

/// x = n ln 2 + r, with |r| <= ln 2 / 2.
struct Reduced {
  Reduced(Floats &f, Value x, const ExpFormat &format)
      : n(f.roundProduct(x, 0x1.71547652b82fep+0)),
        ln2Rest(f.number(-format.ln2Rest)),
        first(f.fma(n.number, f.number(-format.ln2), x)),
        r(f.fma(n.number, ln2Rest, first)) {}

  /// What rounding has taken from r.
  Value getRest(Floats &f) { return f.fma(n.number, ln2Rest, f.sub(first, r)); }

  Rounded n;
  Value ln2Rest, first, r;
};

} // namespace

/// e^x = 2^n e^r.
Value triton_shared::expandExp(Floats &f, Value x) {
  const ExpFormat &format = f.isF64() ? kExpF64 : kExpF32;
  x = f.clamp(x, format.lowest, format.highest);
  Reduced reduced(f, x, format);
  Value r = reduced.r;
  Value tail = f.polynomial(r, f.choose<ArrayRef<double>>(kTailF32, kTailF64));
  Value power = f.add(f.fma(tail, f.square(r), r), f.number(1.0));
  return f.scale(power, reduced.n.integer);
}

/// 2^x = 2^n 2^r with r = x - n, which is exact.
Value triton_shared::expandExp2(Floats &f, Value x) {
  x = f.clamp(x, f.choose(-151.0, -1076.0), f.choose(129.0, 1025.0));
  Rounded n = f.roundProduct(x, 1.0);
  Value r = f.sub(x, n.number);
  Value power =
      f.polynomial(r, f.choose<ArrayRef<double>>(kPowerF32, kPowerF64));
  return f.scale(f.fma(power, r, f.number(1.0)), n.integer);
}

Value triton_shared::buildExp2InF64(Floats &f, Value x) {
  x = f.clamp(x, -1000.0, 1000.0);
  Rounded n = f.roundProduct(x, 1.0);
  Value r = f.sub(x, n.number);
  Value power = f.fma(f.polynomial(r, kShortPowerF64), r, f.number(1.0));
  return f.mul(power, f.powerOfTwo(n.integer));
}

/// e^x - 1 = 2^n (e^r - 1) + 2^n - 1, half of it in between: 2^n alone may be
/// no number.
Value triton_shared::expandExpM1(Floats &f, Value x) {
  const ExpFormat &format = f.isF64() ? kExpF64 : kExpF32;
  // Below, the result is -1.
  Value limited = f.clamp(x, -40.0, format.highest);
  Reduced reduced(f, limited, format);
  Value r = reduced.r, rest = reduced.getRest(f);
  Value tail =
      f.polynomial(r, f.choose<ArrayRef<double>>(kTailOfM1F32, kTailF64));
  Value low = f.fma(tail, f.square(r), f.fma(rest, r, rest));
  Value half = f.powerOfTwo(f.subBits(reduced.n.integer, f.integer(1)));
  // The large parts, and what their sum has lost.
  Value whole = f.sub(half, f.number(0.5));
  Value sum = f.fma(r, half, whole);
  Value error = f.fma(r, half, f.sub(whole, sum));
  error = f.add(error, f.sub(f.sub(half, whole), f.number(0.5)));
  sum = f.add(sum, f.fma(low, half, error));
  // It is exact for zeros and subnormal numbers, half of which are no numbers.
  Value isTiny = f.isLess(f.abs(x), f.number(0x1.0p-60));
  return f.select(isTiny, x, f.add(sum, sum));
}

/// Of f32 a polynomial near zero and 1 - 2 / (e^2x + 1) elsewhere.
static Value expandTanhF32(Floats &f, Value x) {
  Value magnitude = f.abs(x);
  Value square = f.square(x);
  Value sum =
      f.polynomial(square, {-0x1.76abf6p-8, 0x1.5256cep-6, -0x1.b84448p-5,
                            0x1.110768p-3, -0x1.555534p-2});
  Value near = f.fma(f.mul(sum, square), magnitude, magnitude);
  // Beyond 10, tanh is 1.
  Value limited = f.clamp(magnitude, 0.0, 10.0);
  Value power = expandExp(f, f.add(limited, limited));
  Value part = f.div(f.number(2.0), f.add(power, f.number(1.0)));
  Value far = f.sub(f.number(1.0), part);
  Value isNear = f.isLess(magnitude, f.number(0.625));
  return f.copySign(f.select(isNear, near, far), x);
}

/// Of f64 y / (y + 2) with y = e^2x - 1. The quotient is corrected by what is
/// left of y, and by what y + 2 has lost.
static Value expandTanhF64(Floats &f, Value x) {
  // Beyond 20, tanh is 1.
  Value limited = f.clamp(f.abs(x), 0.0, 20.0);
  Value y = expandExpM1(f, f.add(limited, limited));
  Value two = f.number(2.0);
  Value divisor = f.add(y, two);
  Value lost = f.sub(y, f.sub(divisor, two));
  Value inverse = f.div(f.number(1.0), divisor);
  Value quotient = f.mul(y, inverse);
  Value negated = f.negate(quotient);
  Value left = f.fma(negated, lost, f.fma(negated, divisor, y));
  return f.copySign(f.fma(left, inverse, quotient), x);
}

Value triton_shared::expandTanh(Floats &f, Value x) {
  return f.isF64() ? expandTanhF64(f, x) : expandTanhF32(f, x);
}

/// e^|x| in f64.
static Value expOfMagnitude(Floats &wide, Value x) {
  return buildExp2InF64(
      wide, wide.mul(wide.abs(x), wide.number(0x1.71547652b82fep+0)));
}

/// A polynomial near zero, (e^x - e^-x) / 2 elsewhere.
Value triton_shared::expandSinh(Floats &f, Value x) {
  Floats wide = f.inF64();
  x = wide.convert(x);
  Value square = wide.square(x);
  Value sum =
      wide.polynomial(square, {0x1.7a267c358ee8bp-19, 0x1.9ffe11e51cdc0p-13,
                               0x1.111136245aecbp-7, 0x1.5555551831299p-3});
  Value near = wide.fma(wide.mul(square, x), sum, x);
  Value power = expOfMagnitude(wide, x);
  Value rest = wide.div(wide.number(-0.5), power);
  Value far = wide.fma(power, wide.number(0.5), rest);
  Value isNear = wide.isLess(wide.abs(x), wide.number(1.0));
  return f.convert(wide.select(isNear, near, wide.copySign(far, x)));
}

/// (e^x + e^-x) / 2.
Value triton_shared::expandCosh(Floats &f, Value x) {
  Floats wide = f.inF64();
  Value power = expOfMagnitude(wide, wide.convert(x));
  Value rest = wide.div(wide.number(0.5), power);
  return f.convert(wide.fma(power, wide.number(0.5), rest));
}
