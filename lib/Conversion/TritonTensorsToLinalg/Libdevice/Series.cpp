//===- Series.cpp - Functions that are sums of series ---------------------===//
//
// Neither math nor the C library has the modified Bessel functions and the
// scaled erfc. Each has one formula near zero and a series in 1/x far away,
// both to the last digits of f64, in which all of it is computed.
//
//===----------------------------------------------------------------------===//

#include "../MapElements.h"
#include "LibraryFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr double kPi = 3.14159265358979323846;

/// Builds f64 arithmetic on one place.
struct Series {
  OpBuilder &builder;
  Location loc;

  Value constant(double value) {
    return createScalar(builder, loc, builder.getF64Type(), value);
  }
  Value multiply(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value divide(Value a, Value b) {
    return createExactQuotient(builder, loc, a, b);
  }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  Value select(arith::CmpFPredicate predicate, Value a, Value b, Value ifTrue,
               Value ifFalse) {
    Value holds = arith::CmpFOp::create(builder, loc, predicate, a, b);
    return arith::SelectOp::create(builder, loc, holds, ifTrue, ifFalse);
  }

  /// `1 + t * ratio(1) * (1 + t * ratio(2) * (1 + ...))`, to `count` ratios.
  Value sum(Value t, int count, llvm::function_ref<double(int)> ratio) {
    Value result = constant(1);
    for (int k = count; k > 0; --k)
      result = fma(multiply(t, constant(ratio(k))), result, constant(1));
    return result;
  }
};

/// The modified Bessel function of the first kind. Its power series needs 45
/// terms up to 25; beyond, 26 terms of the asymptotic one are enough.
template <int order>
Value buildBessel(OpBuilder &builder, Location loc, Value x) {
  Series series{builder, loc};
  Value magnitude = math::AbsFOp::create(builder, loc, x);
  Value half = series.multiply(magnitude, series.constant(0.5));
  Value near = series.sum(series.multiply(half, half), 45, [](int k) {
    return 1.0 / (double(k) * (k + order));
  });
  if (order == 1)
    near = series.multiply(near, half);

  // The result is infinite long before 1000, and nothing here is NaN there.
  Value bound = series.constant(1000);
  Value large = series.select(arith::CmpFPredicate::OGT, magnitude, bound,
                              bound, magnitude);
  Value inverse = series.divide(series.constant(1), large);
  Value far = series.sum(inverse, 26, [](int k) {
    double odd = 2 * k - 1;
    return (odd * odd - 4 * order * order) / (8.0 * k);
  });
  // exp alone would overflow earlier than the product.
  Value exponent = series.multiply(large, series.constant(0.5));
  Value growth = math::ExpOp::create(builder, loc, exponent);
  Value scale = math::SqrtOp::create(
      builder, loc, series.multiply(large, series.constant(2 * kPi)));
  far = series.multiply(far, series.divide(growth, scale));
  far = series.multiply(far, growth);

  Value result = series.select(arith::CmpFPredicate::OGT, magnitude,
                               series.constant(25), far, near);
  if (order == 1)
    result = math::CopySignOp::create(builder, loc, result, x);
  return result;
}

/// `exp(x * x) * erfc(x)`.
Value buildScaledErfc(OpBuilder &builder, Location loc, Value x) {
  Series series{builder, loc};
  // The rounding error of the square is a factor of its own. Below -30 the
  // result is infinite anyway.
  Value bound = series.constant(-30);
  Value small = series.select(arith::CmpFPredicate::OLT, x, bound, bound, x);
  Value square = series.multiply(small, small);
  Value negated = arith::NegFOp::create(builder, loc, square);
  Value error = series.fma(small, small, negated);
  Value growth = math::ExpOp::create(builder, loc, square);
  Value tail = math::ErfcOp::create(builder, loc, small);
  Value near = series.multiply(growth, series.fma(tail, error, tail));

  Value inverse = series.divide(series.constant(1), x);
  Value far = series.sum(series.multiply(inverse, inverse), 8,
                         [](int k) { return 0.5 - k; });
  Value scale = series.constant(0.56418958354775628695); // 1 / sqrt(pi)
  far = series.multiply(far, series.multiply(inverse, scale));
  return series.select(arith::CmpFPredicate::OGT, x, series.constant(25), far,
                       near);
}

template <Value (*build)(OpBuilder &, Location, Value)>
Value computeInF64(OpBuilder &builder, Location loc, ValueRange in, Type type) {
  Type wide = builder.getF64Type();
  if (type == wide)
    return build(builder, loc, in[0]);
  Value x = arith::ExtFOp::create(builder, loc, wide, in[0]);
  Value result = build(builder, loc, x);
  return arith::TruncFOp::create(builder, loc, type, result);
}

} // namespace

ScalarBuilder triton_shared::findSeriesFunction(StringRef name) {
  return llvm::StringSwitch<ScalarBuilder>(name)
      .Case("cyl_bessel_i0", computeInF64<buildBessel<0>>)
      .Case("cyl_bessel_i1", computeInF64<buildBessel<1>>)
      .Case("erfcx", computeInF64<buildScaledErfc>)
      .Default({});
}
