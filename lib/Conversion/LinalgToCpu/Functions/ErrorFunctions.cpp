//===- ErrorFunctions.cpp - erf and erfc ----------------------------------===//

#include "ExpandMath.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// Of f32 a polynomial near zero, 1 - e^p(x) elsewhere.
static Value expandErfF32(Floats &f, Value x) {
  Value magnitude = f.abs(x);
  Value sum =
      f.polynomial(f.square(x), {0x1.5e062cp-14, -0x1.aaa2d6p-11, 0x1.54d42ap-8,
                                 -0x1.b80ff2p-6, 0x1.ce2e1cp-4, -0x1.812744p-2,
                                 0x1.06eba8p-3});
  Value near = f.fma(sum, magnitude, magnitude);
  // Beyond 4, erf is 1.
  Value limited = f.clamp(magnitude, 0.0, 4.0);
  Value exponent = f.polynomial(
      limited, {0x1.170364p-20, -0x1.182674p-16, 0x1.8f11fcp-14,
                -0x1.b515cap-16, -0x1.8c9f50p-9, 0x1.7d2bbep-6, -0x1.b37ea6p-4,
                -0x1.44f088p-1, -0x1.21078ap+0, 0x1.863ce2p-14});
  Value far = f.sub(f.number(1.0), expandExp(f, exponent));
  Value isNear = f.isLess(magnitude, f.number(0.925));
  return f.copySign(f.select(isNear, near, far), x);
}

/// Of f64 a polynomial near zero, 1 - erfc x elsewhere.
static Value expandErfF64(Floats &f, Value x) {
  Value magnitude = f.abs(x);
  Value sum = f.polynomial(
      f.square(x),
      {-0x1.acdff9741294fp-31, 0x1.d78492be396efp-27, -0x1.5c16e2d5443f2p-23,
       0x1.b9827b0889cb2p-20, -0x1.f4ca9496af282p-17, 0x1.f9a2bf73bb76ap-14,
       -0x1.c02db072f1224p-11, 0x1.565bccfa9a6aep-8, -0x1.b82ce312062aep-6,
       0x1.ce2f21a041018p-4, -0x1.812746b0379c2p-2, 0x1.06eba8214db68p-3});
  Value near = f.fma(sum, magnitude, magnitude);
  // Beyond 6, erf is 1.
  Value limited = f.clamp(magnitude, 1.0, 6.0);
  Value three = f.number(3.0);
  Value t = f.div(three, f.add(limited, three));
  Value factor = f.polynomial(
      t, {0x1.d40e1f2542371p-8, -0x1.2d8d43522510dp-5, 0x1.b754abfffed81p-5,
          0x1.9b907ecb6e1a9p-5, -0x1.057b8fc273972p-2, 0x1.6d1e775b99d8ap-2,
          -0x1.507549c25839fp-2, 0x1.e78e0377f1b81p-3, -0x1.52beddf285cafp-5,
          0x1.020fd5252b056p-3, 0x1.e5e5508a0d6f5p-4, 0x1.4418bd91e77ccp-3,
          0x1.6b5f346c77558p-3, 0x1.812e9e275be56p-3, 0x1.81270612fa815p-3});
  Value power = expandExp(f, f.negate(f.square(limited)));
  Value complement = f.mul(power, f.mul(t, factor));
  Value far = f.sub(f.number(1.0), complement);
  Value isNear = f.isLess(magnitude, f.number(1.0));
  return f.copySign(f.select(isNear, near, far), x);
}

Value triton_shared::expandErf(Floats &f, Value x) {
  return f.isF64() ? expandErfF64(f, x) : expandErfF32(f, x);
}

/// e^(-x^2) t p(t) with t = 3 / (3 + x), in f64; 2 minus that of -x for
/// negative numbers.
Value triton_shared::expandErfc(Floats &narrow, Value x) {
  Floats f = narrow.inF64();
  x = f.convert(x);
  // Beyond 10.25, the result is zero.
  Value magnitude = f.clamp(f.abs(x), 0.0, 10.25);
  Value three = f.number(3.0);
  Value t = f.div(three, f.add(magnitude, three));
  Value factor = f.polynomial(
      t, {-0x1.bd25fe58ee9f1p-6, 0x1.75707b71cb686p-3, -0x1.f4daa3cf8b28cp-2,
          0x1.53acdea1cbd3ap-1, -0x1.1cb433734891ap-1, 0x1.a4ef74c8e9359p-2,
          -0x1.e987617a07a11p-5, 0x1.62d63b530f405p-3, 0x1.2d1bd81544744p-3,
          0x1.6e80a7d70cbc0p-3, 0x1.80edaef57574cp-3, 0x1.812963d69e5e8p-3});
  Value exponent = f.mul(f.square(magnitude), f.number(-0x1.71547652b82fep+0));
  Value power = buildExp2InF64(f, exponent);
  Value result = f.mul(power, f.mul(t, factor));
  Value isNegative = f.isLess(x, f.number(0.0));
  Value mirrored = f.sub(f.number(2.0), result);
  return narrow.convert(f.select(isNegative, mirrored, result));
}
