//===- LibraryFunctions.cpp - What a libdevice function computes ----------===//
//
// The functions on floats. Most are an op of math or arith, some are a short
// formula, the rest is in the C library. The variants that may be inexact
// (`fast_*`) are exact here.
//
//===----------------------------------------------------------------------===//

#include "LibraryFunctions.h"

#include "../MapElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

//===----------------------------------------------------------------------===//
// Functions that are one op
//===----------------------------------------------------------------------===//

template <typename OpTy>
static Value apply(OpBuilder &builder, Location loc, ValueRange in,
                   Type result) {
  return OpTy::create(builder, loc, TypeRange(result), in)->getResult(0);
}

/// The same, where the kernel asks for more than a GPU has an instruction for.
template <typename OpTy>
static Value applyPrecisely(OpBuilder &builder, Location loc, ValueRange in,
                            Type result) {
  auto op = OpTy::create(builder, loc, TypeRange(result), in);
  op->setAttr(tts::kIsPrecise, builder.getUnitAttr());
  return op->getResult(0);
}

/// `name` is that of the f64 function.
static ScalarBuilder findMathOp(StringRef name) {
  return llvm::StringSwitch<ScalarBuilder>(name)
      .Case("acos", apply<math::AcosOp>)
      .Case("acosh", apply<math::AcoshOp>)
      .Case("asin", apply<math::AsinOp>)
      .Case("asinh", apply<math::AsinhOp>)
      .Case("atan", apply<math::AtanOp>)
      .Case("atanh", apply<math::AtanhOp>)
      .Case("cbrt", apply<math::CbrtOp>)
      .Case("ceil", apply<math::CeilOp>)
      .Case("copysign", apply<math::CopySignOp>)
      .Cases({"cos", "fast_cos"}, apply<math::CosOp>)
      .Case("cosh", apply<math::CoshOp>)
      .Case("erf", apply<math::ErfOp>)
      .Case("erfc", apply<math::ErfcOp>)
      .Case("exp", applyPrecisely<math::ExpOp>)
      .Case("fast_exp", apply<math::ExpOp>)
      .Case("exp2", apply<math::Exp2Op>)
      .Case("expm1", apply<math::ExpM1Op>)
      .Case("fabs", apply<math::AbsFOp>)
      .Case("floor", apply<math::FloorOp>)
      .Cases({"fma", "fma_rn", "fmaf_rn"}, apply<math::FmaOp>)
      .Cases({"log", "fast_log"}, apply<math::LogOp>)
      .Cases({"log10", "fast_log10"}, apply<math::Log10Op>)
      .Case("log1p", apply<math::Log1pOp>)
      .Cases({"log2", "fast_log2"}, apply<math::Log2Op>)
      .Cases({"pow", "fast_pow"}, apply<math::PowFOp>)
      .Cases({"rint", "nearbyint"}, apply<math::RoundEvenOp>)
      .Case("round", apply<math::RoundOp>)
      .Case("rsqrt", apply<math::RsqrtOp>)
      .Cases({"sin", "fast_sin"}, apply<math::SinOp>)
      .Case("sinh", apply<math::SinhOp>)
      .Case("sqrt", apply<math::SqrtOp>)
      .Cases({"tan", "fast_tan"}, apply<math::TanOp>)
      .Cases({"tanh", "fast_tanh"}, apply<math::TanhOp>)
      .Case("trunc", apply<math::TruncOp>)
      .Default({});
}

static ScalarBuilder findArithOp(StringRef name) {
  return llvm::StringSwitch<ScalarBuilder>(name)
      .Cases({"fadd_rn", "dadd_rn"}, apply<arith::AddFOp>)
      .Cases({"fsub_rn", "dsub_rn"}, apply<arith::SubFOp>)
      .Cases({"fmul_rn", "dmul_rn"}, apply<arith::MulFOp>)
      .Case("fast_fdivide", apply<arith::DivFOp>)
      .Case("fmod", apply<arith::RemFOp>)
      .Case("fmax", apply<arith::MaxNumFOp>)
      .Case("fmin", apply<arith::MinNumFOp>)
      .Default({});
}

//===----------------------------------------------------------------------===//
// Functions that are a formula
//===----------------------------------------------------------------------===//

static Value multiply(OpBuilder &builder, Location loc, Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}

static Value add(OpBuilder &builder, Location loc, Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b);
}

static Value createInfinity(OpBuilder &builder, Location loc, Type type) {
  APFloat infinity = APFloat::getInf(cast<FloatType>(type).getFloatSemantics());
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, infinity));
}

static Value quotient(OpBuilder &builder, Location loc, ValueRange in, Type) {
  return createExactQuotient(builder, loc, in[0], in[1]);
}

static Value squareRoot(OpBuilder &builder, Location loc, ValueRange in, Type) {
  return createExactRoot(builder, loc, in[0]);
}

/// In f64, so that what f32 takes is rounded once.
static Value reciprocalSquareRoot(OpBuilder &builder, Location loc,
                                  ValueRange in, Type type) {
  Type f64 = builder.getF64Type();
  Value wide = arith::ExtFOp::create(builder, loc, f64, in[0]);
  Value one = createScalar(builder, loc, f64, 1);
  Value root = math::SqrtOp::create(builder, loc, wide);
  Value result = arith::DivFOp::create(builder, loc, one, root);
  return arith::TruncFOp::create(builder, loc, type, result);
}

static Value reciprocal(OpBuilder &builder, Location loc, ValueRange in,
                        Type type) {
  Value one = createScalar(builder, loc, type, 1);
  return createExactQuotient(builder, loc, one, in[0]);
}

static Value reciprocalCubeRoot(OpBuilder &builder, Location loc, ValueRange in,
                                Type type) {
  Value root = math::CbrtOp::create(builder, loc, in[0]);
  return reciprocal(builder, loc, root, type);
}

static Value exponential10(OpBuilder &builder, Location loc, ValueRange in,
                           Type type) {
  Value ten = createScalar(builder, loc, type, 10);
  return math::PowFOp::create(builder, loc, ten, in[0]);
}

static Value powerOfInteger(OpBuilder &builder, Location loc, ValueRange in,
                            Type type) {
  Value exponent = arith::SIToFPOp::create(builder, loc, type, in[1]);
  return math::PowFOp::create(builder, loc, in[0], exponent);
}

/// `max(x - y, 0)`, NaN if one of both is.
static Value positiveDifference(OpBuilder &builder, Location loc, ValueRange in,
                                Type type) {
  Value difference = arith::SubFOp::create(builder, loc, in[0], in[1]);
  Value isNegative = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OLE, in[0], in[1]);
  Value zero = createScalar(builder, loc, type, 0);
  return arith::SelectOp::create(builder, loc, isNegative, zero, difference);
}

/// `x` between 0 and 1; NaN becomes 0.
static Value saturateToOne(OpBuilder &builder, Location loc, ValueRange in,
                           Type type) {
  Value zero = createScalar(builder, loc, type, 0);
  Value one = createScalar(builder, loc, type, 1);
  Value raised = arith::MaxNumFOp::create(builder, loc, in[0], zero);
  return arith::MinNumFOp::create(builder, loc, raised, one);
}

/// The distribution function of the normal distribution.
static Value normalDistribution(OpBuilder &builder, Location loc, ValueRange in,
                                Type type) {
  Value scale = createScalar(builder, loc, type, -0.70710678118654752440);
  Value half = createScalar(builder, loc, type, 0.5);
  Value scaled = multiply(builder, loc, in[0], scale);
  Value tail = math::ErfcOp::create(builder, loc, scaled);
  return multiply(builder, loc, half, tail);
}

/// The root of the sum of squares, scaled so that squares do not overflow.
static Value norm(OpBuilder &builder, Location loc, ValueRange in, Type type) {
  Value largest = math::AbsFOp::create(builder, loc, in[0]);
  for (Value value : in.drop_front())
    largest = arith::MaxNumFOp::create(
        builder, loc, largest, math::AbsFOp::create(builder, loc, value));
  Value zero = createScalar(builder, loc, type, 0);
  Value sum = zero;
  for (Value value : in) {
    Value part = createExactQuotient(builder, loc, value, largest);
    sum = math::FmaOp::create(builder, loc, part, part, sum);
  }
  Value root = math::SqrtOp::create(builder, loc, sum);
  Value scaled = multiply(builder, loc, largest, root);
  // Nothing to scale by: all are zero, or one is infinite.
  Value infinity = createInfinity(builder, loc, type);
  Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                       largest, zero);
  Value isInfinite = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, largest, infinity);
  Value isExtreme = arith::OrIOp::create(builder, loc, isZero, isInfinite);
  Value plain = zero;
  for (Value value : in)
    plain = add(builder, loc, plain, math::AbsFOp::create(builder, loc, value));
  plain = arith::SelectOp::create(builder, loc, isInfinite, infinity, plain);
  return arith::SelectOp::create(builder, loc, isExtreme, plain, scaled);
}

static Value reciprocalNorm(OpBuilder &builder, Location loc, ValueRange in,
                            Type type) {
  return reciprocal(builder, loc, norm(builder, loc, in, type), type);
}

/// atan2. MLIR takes it for undefined where both numbers are zero constants; 1
/// with the sign of that zero has the same angle.
static Value angle(OpBuilder &builder, Location loc, ValueRange in, Type type) {
  Value zero = createScalar(builder, loc, type, 0);
  Value one = createScalar(builder, loc, type, 1);
  auto isZero = [&](Value value) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, value,
                                 zero);
  };
  Value isOrigin =
      arith::AndIOp::create(builder, loc, isZero(in[0]), isZero(in[1]));
  Value unit = math::CopySignOp::create(builder, loc, one, in[1]);
  Value x = arith::SelectOp::create(builder, loc, isOrigin, unit, in[1]);
  return math::Atan2Op::create(builder, loc, in[0], x);
}

/// sin and cos of pi times a number. The number is `quarter / 2 + rest` with
/// `rest` exact and at most 1/4, so that whole and half numbers give whole
/// results.
template <bool cosine>
static Value trigonometricOfPi(OpBuilder &builder, Location loc, ValueRange in,
                               Type type) {
  Value two = createScalar(builder, loc, type, 2);
  Value four = createScalar(builder, loc, type, 4);
  Value half = createScalar(builder, loc, type, -0.5);
  Value pi = createScalar(builder, loc, type, 3.14159265358979323846);
  Value quarter = math::RoundEvenOp::create(builder, loc,
                                            multiply(builder, loc, in[0], two));
  Value rest = math::FmaOp::create(builder, loc, quarter, half, in[0]);
  Value angle = multiply(builder, loc, rest, pi);
  Value sine = math::SinOp::create(builder, loc, angle);
  Value cosine0 = math::CosOp::create(builder, loc, angle);

  // The turn is 0 to 3 quarters; a negative remainder counts from the end.
  Value remainder = arith::RemFOp::create(builder, loc, quarter, four);
  // No integer is NaN, which the angle is then, too.
  Value isNumber = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::ORD, remainder, remainder);
  remainder = arith::SelectOp::create(builder, loc, isNumber, remainder,
                                      createScalar(builder, loc, type, 0));
  Value turn =
      arith::FPToSIOp::create(builder, loc, builder.getI32Type(), remainder);
  Value shift = createScalar(builder, loc, builder.getI32Type(), cosine);
  turn = arith::AddIOp::create(builder, loc, turn, shift);
  auto hasBit = [&](int64_t bit) -> Value {
    Value mask = createScalar(builder, loc, builder.getI32Type(), bit);
    Value masked = arith::AndIOp::create(builder, loc, turn, mask);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, masked,
                                 mask);
  };
  Value magnitude =
      arith::SelectOp::create(builder, loc, hasBit(1), cosine0, sine);
  Value negated = arith::NegFOp::create(builder, loc, magnitude);
  return arith::SelectOp::create(builder, loc, hasBit(2), negated, magnitude);
}

/// Compares the magnitude with infinity: `UNO` asks for NaN, `OEQ` for an
/// infinity, `OLT` for a finite number.
template <arith::CmpFPredicate predicate>
static Value classify(OpBuilder &builder, Location loc, ValueRange in,
                      Type type) {
  Value magnitude = math::AbsFOp::create(builder, loc, in[0]);
  Value infinity = createInfinity(builder, loc, in[0].getType());
  Value answer =
      arith::CmpFOp::create(builder, loc, predicate, magnitude, infinity);
  return arith::ExtUIOp::create(builder, loc, type, answer);
}

static Value signBit(OpBuilder &builder, Location loc, ValueRange in,
                     Type type) {
  unsigned width = in[0].getType().getIntOrFloatBitWidth();
  Type bits = builder.getIntegerType(width);
  Value pattern = arith::BitcastOp::create(builder, loc, bits, in[0]);
  Value zero = createScalar(builder, loc, bits, 0);
  Value isNegative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, pattern, zero);
  return arith::ExtUIOp::create(builder, loc, type, isNegative);
}

static ScalarBuilder findFormula(StringRef name) {
  return llvm::StringSwitch<ScalarBuilder>(name)
      .Cases({"fdiv_rn", "ddiv_rn"}, quotient)
      .Cases({"frcp_rn", "drcp_rn"}, reciprocal)
      .Cases({"fsqrt_rn", "dsqrt_rn"}, squareRoot)
      .Case("frsqrt_rn", reciprocalSquareRoot)
      .Case("rcbrt", reciprocalCubeRoot)
      .Cases({"exp10", "fast_exp10"}, exponential10)
      .Case("powi", powerOfInteger)
      .Case("fdim", positiveDifference)
      .Case("saturate", saturateToOne)
      .Case("normcdf", normalDistribution)
      .Cases({"norm3d", "norm4d"}, norm)
      .Cases({"rhypot", "rnorm3d", "rnorm4d"}, reciprocalNorm)
      .Case("atan2", angle)
      .Case("sinpi", trigonometricOfPi<false>)
      .Case("cospi", trigonometricOfPi<true>)
      .Cases({"isnan", "isnand"}, classify<arith::CmpFPredicate::UNO>)
      .Cases({"isinf", "isinfd"}, classify<arith::CmpFPredicate::OEQ>)
      .Cases({"finite", "isfinited"}, classify<arith::CmpFPredicate::OLT>)
      .Cases({"signbit", "signbitd"}, signBit)
      .Default({});
}

//===----------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------===//

/// Functions that the C library has under the same name, and that math has not.
static bool isInCLibrary(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"hypot", "ilogb", "ldexp", "lgamma", "logb"}, true)
      .Cases({"nextafter", "remainder", "scalbn", "tgamma"}, true)
      .Cases({"j0", "j1", "jn", "y0", "y1", "yn"}, true)
      .Default(false);
}

static std::optional<LibraryFunction> findByName(StringRef name) {
  for (auto find : {findMathOp, findArithOp, findFormula, findInverseFunction,
                    findSeriesFunction, findIntegerFunction,
                    findConversionFunction, findRoundedFunction})
    if (ScalarBuilder build = find(name))
      return LibraryFunction{build, ""};
  return std::nullopt;
}

std::optional<LibraryFunction>
triton_shared::findLibraryFunction(StringRef symbol) {
  StringRef name = symbol;
  if (!name.consume_front("__nv_"))
    return std::nullopt;
  if (isInCLibrary(name))
    return LibraryFunction{{}, name.str()};
  if (std::optional<LibraryFunction> function = findByName(name))
    return function;
  // The f32 function of a pair is the one with `f` at the end.
  if (!name.consume_back("f"))
    return std::nullopt;
  if (isInCLibrary(name))
    return LibraryFunction{{}, name.str()};
  return findByName(name);
}
