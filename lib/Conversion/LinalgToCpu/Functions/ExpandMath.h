//===- ExpandMath.h - Arithmetic that functions are made of -----*- C++ -*-===//
//
// Only operations that work on vectors as on scalars: no memory, no calls, and
// no branches but those that lanes take together. LinalgToVector turns bodies
// made of them into loops over vectors.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOCPU_FUNCTIONS_EXPANDMATH_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOCPU_FUNCTIONS_EXPANDMATH_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::triton_shared {

/// An integer as a float and as an integer as wide as that.
struct Rounded {
  Value number, integer;
};

/// A positive float as `2^exponent * (1 + fraction)`, with a fraction between
/// sqrt(1/2) - 1 and sqrt(2) - 1. The exponent is a float; `biased` is that of
/// a normal number as an integer, and positive.
struct Decomposed {
  Value exponent, fraction, biased;
};

/// Arithmetic on floats of one format, f32 or f64, and on their bits.
class Floats {
public:
  Floats(OpBuilder &builder, Location loc, Type type, bool hasScale);

  /// The same place, in f64.
  Floats inF64() { return Floats(b, b.getLoc(), b.getF64Type(), hasScale); }
  bool isF64() const { return type.isF64(); }
  template <typename T> T choose(T forF32, T forF64) const {
    return isF64() ? forF64 : forF32;
  }
  /// `value`, of either format, in this one.
  Value convert(Value value);

  Value number(double value);
  Value integer(int64_t value);
  Value infinity();
  Value nan();

  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value div(Value lhs, Value rhs);
  Value fma(Value x, Value y, Value z);
  Value negate(Value value);
  Value square(Value value) { return mul(value, value); }
  Value abs(Value value);
  Value squareRoot(Value value);
  Value copySign(Value magnitude, Value sign);
  /// To the nearest integer, ties to even.
  Value round(Value value);

  Value bits(Value value);
  Value fromBits(Value value);
  Value addBits(Value lhs, Value rhs);
  Value subBits(Value lhs, Value rhs);
  Value andBits(Value lhs, Value rhs);
  Value orBits(Value lhs, Value rhs);
  Value xorBits(Value lhs, Value rhs);
  Value shiftLeft(Value value, int64_t amount);
  Value shiftRight(Value value, int64_t amount);

  Value select(Value condition, Value yes, Value no);
  /// `usual`, but where `condition` holds, which is rarely, what `compute`
  /// gives. That is computed only if it holds in one of the lanes.
  SmallVector<Value> replaceRare(Value condition, ArrayRef<Value> usual,
                                 function_ref<SmallVector<Value>()> compute);
  Value isLess(Value lhs, Value rhs);
  Value isAtLeast(Value lhs, Value rhs);
  /// True also if one is NaN.
  Value isNotLess(Value lhs, Value rhs);
  Value isEqual(Value lhs, Value rhs);
  /// True if both numbers are unequal, or one is NaN.
  Value isUnequal(Value lhs, Value rhs);
  Value both(Value lhs, Value rhs) { return andBits(lhs, rhs); }
  Value either(Value lhs, Value rhs) { return orBits(lhs, rhs); }
  /// True if the sign bit is set, that of a zero as well.
  Value isSigned(Value value);
  /// True if the bit `index` of an integer is set.
  Value hasBit(Value integer, unsigned index);

  /// `value` between `low` and `high`; NaN stays.
  Value clamp(Value value, double low, double high);

  /// The polynomial with these coefficients, the one of the highest power
  /// first.
  Value polynomial(Value x, ArrayRef<double> coefficients);

  /// `x * factor` to the nearest integer, which must be far below
  /// 2^`mantissaBits()`.
  Rounded roundProduct(Value x, double factor);

  /// `value * 2^exponent` for results of any size, right also where it is
  /// subnormal.
  Value scale(Value value, Value exponent);

  /// 2^`exponent` where that is a normal number.
  Value powerOfTwo(Value exponent);

  /// Subnormal numbers are brought up first. In f64, no f32 is one.
  Decomposed decompose(Value x, bool mayBeSubnormal = true);
  /// `2^-exponent` of a normal number that is not among the largest.
  Value inversePower(const Decomposed &parts);

  unsigned mantissaBits() const { return choose(23, 52); }
  unsigned exponentBias() const { return choose(127, 1023); }

  ImplicitLocOpBuilder b;

private:
  FloatType type;
  bool hasScale;
};

// Where not said otherwise, the functions are those of f32 alone.

// ExpandExponentials.cpp: exp, exp2, expm1 and tanh of f32 and f64.
Value expandExp(Floats &f, Value x);
Value expandExp2(Floats &f, Value x);
Value expandExpM1(Floats &f, Value x);
Value expandTanh(Floats &f, Value x);
Value expandSinh(Floats &f, Value x);
Value expandCosh(Floats &f, Value x);
/// 2^x in f64, to 34 bits; as if infinite where f32 is, zero where it is.
Value buildExp2InF64(Floats &f, Value x);

// ExpandLogarithms.cpp: log, log2 and log1p of f32 and f64.
Value expandLog(Floats &f, Value x);
Value expandLog2(Floats &f, Value x);
Value expandLog10(Floats &f, Value x);
Value expandLog1p(Floats &f, Value x);
Value expandAsinh(Floats &f, Value x);
Value expandAcosh(Floats &f, Value x);
Value expandAtanh(Floats &f, Value x);
/// log2 of a positive number in f64, to 35 bits.
Value buildLog2InF64(Floats &f, Value x);

// ExpandErrorFunctions.cpp: erf of f32 and f64.
Value expandErf(Floats &f, Value x);
Value expandErfc(Floats &f, Value x);

// ExpandPowers.cpp
Value expandPow(Floats &f, Value x, Value y);
Value expandCbrt(Floats &f, Value x);

// ExpandTrigonometry.cpp
Value expandSin(Floats &f, Value x);
Value expandCos(Floats &f, Value x);
Value expandTan(Floats &f, Value x);

// ExpandArcs.cpp
Value expandAsin(Floats &f, Value x);
Value expandAcos(Floats &f, Value x);
Value expandAtan(Floats &f, Value x);
Value expandAtan2(Floats &f, Value y, Value x);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOCPU_FUNCTIONS_EXPANDMATH_H
