//===- Inverses.cpp - The inverses of erf, erfc and normcdf ---------------===//
//
// Neither math nor the C library has them. A closed estimate, good to a few
// thousandths (S. Winitzki), is refined by Newton steps on erf itself, in f64.
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

constexpr double kTwoOverSqrtPi = 1.12837916709551257390;
constexpr double kSqrtTwo = 1.41421356237309504880;
constexpr double kPi = 3.14159265358979323846;
constexpr int kNewtonSteps = 4;

/// Builds f64 arithmetic on one place.
struct Formula {
  OpBuilder &builder;
  Location loc;

  Value constant(double value) {
    return createScalar(builder, loc, builder.getF64Type(), value);
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value subtract(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value multiply(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value divide(Value a, Value b) {
    return createExactQuotient(builder, loc, a, b);
  }
  template <typename OpTy> Value apply(Value a) {
    return OpTy::create(builder, loc, a);
  }
  Value select(arith::CmpFPredicate predicate, Value a, Value b, Value ifTrue,
               Value ifFalse) {
    Value holds = arith::CmpFOp::create(builder, loc, predicate, a, b);
    return arith::SelectOp::create(builder, loc, holds, ifTrue, ifFalse);
  }

  Value estimate(Value tail);
  Value derivative(Value y);
  Value invertCentre(Value y, Value x);
  Value invertTail(Value y, Value tail);
  Value invert(Value x, Value tail);
};

/// The `y >= 0` with erfc(y) = tail, about.
Value Formula::estimate(Value tail) {
  constexpr double a = 0.147;
  // 1 - erf(y)^2, without the cancellation.
  Value rest = multiply(tail, subtract(constant(2), tail));
  Value logarithm = apply<math::LogOp>(rest);
  Value middle =
      add(constant(2 / (kPi * a)), multiply(constant(0.5), logarithm));
  Value root = apply<math::SqrtOp>(
      subtract(multiply(middle, middle), multiply(constant(1 / a), logarithm)));
  return apply<math::SqrtOp>(subtract(root, middle));
}

/// The derivative of erf.
Value Formula::derivative(Value y) {
  Value exponent = apply<arith::NegFOp>(multiply(y, y));
  return multiply(constant(kTwoOverSqrtPi), apply<math::ExpOp>(exponent));
}

/// Newton on erf(y) - x.
Value Formula::invertCentre(Value y, Value x) {
  for (int step = 0; step < kNewtonSteps; ++step) {
    Value error = subtract(apply<math::ErfOp>(y), x);
    y = subtract(y, divide(error, derivative(y)));
  }
  return y;
}

/// Newton on log(erfc(y)) - log(tail), which is nearly a parabola.
Value Formula::invertTail(Value y, Value tail) {
  for (int step = 0; step < kNewtonSteps; ++step) {
    Value tailOfY = apply<math::ErfcOp>(y);
    Value error = apply<math::LogOp>(divide(tailOfY, tail));
    y = add(y, divide(multiply(error, tailOfY), derivative(y)));
  }
  return y;
}

/// The y with erf(y) = x; `tail` is 1 - |x|, and may be more exact.
Value Formula::invert(Value x, Value tail) {
  Value magnitude = apply<math::AbsFOp>(x);
  Value first = estimate(tail);
  Value inner = invertCentre(first, magnitude);
  Value outer = invertTail(first, tail);
  Value result =
      select(arith::CmpFPredicate::OLT, magnitude, constant(0.5), inner, outer);
  // 1 is reached at infinity only; x of the wrong size is NaN already.
  Value infinity = constant(std::numeric_limits<double>::infinity());
  result =
      select(arith::CmpFPredicate::OEQ, tail, constant(0), infinity, result);
  return math::CopySignOp::create(builder, loc, result, x);
}

/// erfcinv(t): the tail is t itself, or 2 - t where y is negative.
Value invertComplement(Formula &formula, Value t) {
  Value x = formula.subtract(formula.constant(1), t);
  Value other = formula.subtract(formula.constant(2), t);
  Value tail = formula.select(arith::CmpFPredicate::OLE, t, other, t, other);
  return formula.invert(x, tail);
}

enum class Inverse { Erf, Erfc, Normal };

template <Inverse which>
Value buildInverse(OpBuilder &builder, Location loc, ValueRange in, Type type) {
  Formula formula{builder, loc};
  Type wide = builder.getF64Type();
  Value x = in[0];
  if (type != wide)
    x = arith::ExtFOp::create(builder, loc, wide, x);
  Value result;
  if (which == Inverse::Erf) {
    Value magnitude = formula.apply<math::AbsFOp>(x);
    result =
        formula.invert(x, formula.subtract(formula.constant(1), magnitude));
  } else if (which == Inverse::Erfc) {
    result = invertComplement(formula, x);
  } else {
    Value twice = formula.multiply(x, formula.constant(2));
    result = formula.multiply(invertComplement(formula, twice),
                              formula.constant(-kSqrtTwo));
  }
  if (type != wide)
    result = arith::TruncFOp::create(builder, loc, type, result);
  return result;
}

} // namespace

ScalarBuilder triton_shared::findInverseFunction(StringRef name) {
  return llvm::StringSwitch<ScalarBuilder>(name)
      .Case("erfinv", buildInverse<Inverse::Erf>)
      .Case("erfcinv", buildInverse<Inverse::Erfc>)
      .Case("normcdfinv", buildInverse<Inverse::Normal>)
      .Default({});
}
