//===- Floats.cpp - Arithmetic that functions are made of -----------------===//

#include "ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Conversion/LinalgToCpu.h"

#include <limits>

using namespace mlir;
using namespace mlir::triton_shared;

/// From how many coefficients on a polynomial is evaluated in two parts.
constexpr size_t kLongPolynomial = 8;

Floats::Floats(OpBuilder &builder, Location loc, Type type, bool hasScale)
    : b(loc, builder), type(cast<FloatType>(type)), hasScale(hasScale) {}

Value Floats::convert(Value value) {
  if (value.getType() == type)
    return value;
  if (isF64())
    return arith::ExtFOp::create(b, type, value);
  return arith::TruncFOp::create(b, type, value);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value Floats::number(double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

Value Floats::integer(int64_t value) {
  Type bits = b.getIntegerType(type.getWidth());
  return arith::ConstantOp::create(b, b.getIntegerAttr(bits, value));
}

Value Floats::infinity() {
  return number(std::numeric_limits<double>::infinity());
}

Value Floats::nan() { return number(std::numeric_limits<double>::quiet_NaN()); }

Value Floats::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(b, lhs, rhs);
}
Value Floats::sub(Value lhs, Value rhs) {
  return arith::SubFOp::create(b, lhs, rhs);
}
Value Floats::mul(Value lhs, Value rhs) {
  return arith::MulFOp::create(b, lhs, rhs);
}
Value Floats::div(Value lhs, Value rhs) {
  return arith::DivFOp::create(b, lhs, rhs);
}
Value Floats::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(b, x, y, z);
}
Value Floats::negate(Value value) { return arith::NegFOp::create(b, value); }
Value Floats::abs(Value value) { return math::AbsFOp::create(b, value); }
Value Floats::squareRoot(Value value) { return math::SqrtOp::create(b, value); }
Value Floats::copySign(Value magnitude, Value sign) {
  return math::CopySignOp::create(b, magnitude, sign);
}
Value Floats::round(Value value) { return math::RoundEvenOp::create(b, value); }

Value Floats::clamp(Value value, double low, double high) {
  auto limit = [&](arith::CmpFPredicate beyond, double bound) {
    Value edge = number(bound);
    Value isBeyond = arith::CmpFOp::create(b, beyond, value, edge);
    value = select(isBeyond, edge, value);
  };
  limit(arith::CmpFPredicate::OLT, low);
  limit(arith::CmpFPredicate::OGT, high);
  return value;
}

Value Floats::polynomial(Value x, ArrayRef<double> coefficients) {
  if (coefficients.size() < kLongPolynomial) {
    Value sum = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, number(coefficient));
    return sum;
  }
  // Even and odd powers apart: two chains of half the length take less time
  // than one. The constant comes last, so that its sum is rounded once.
  SmallVector<double> parts[2];
  ArrayRef<double> rest = coefficients.drop_back();
  for (auto [index, coefficient] : llvm::enumerate(rest))
    parts[(rest.size() - 1 - index) % 2].push_back(coefficient);
  Value square = mul(x, x);
  Value odd = polynomial(square, parts[1]);
  Value sum = fma(odd, x, polynomial(square, parts[0]));
  return fma(sum, x, number(coefficients.back()));
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Value Floats::bits(Value value) {
  Type bits = b.getIntegerType(type.getWidth());
  return arith::BitcastOp::create(b, bits, value);
}
Value Floats::fromBits(Value value) {
  return arith::BitcastOp::create(b, type, value);
}
Value Floats::addBits(Value lhs, Value rhs) {
  return arith::AddIOp::create(b, lhs, rhs);
}
Value Floats::subBits(Value lhs, Value rhs) {
  return arith::SubIOp::create(b, lhs, rhs);
}
Value Floats::andBits(Value lhs, Value rhs) {
  return arith::AndIOp::create(b, lhs, rhs);
}
Value Floats::orBits(Value lhs, Value rhs) {
  return arith::OrIOp::create(b, lhs, rhs);
}
Value Floats::xorBits(Value lhs, Value rhs) {
  return arith::XOrIOp::create(b, lhs, rhs);
}
Value Floats::shiftLeft(Value value, int64_t amount) {
  return arith::ShLIOp::create(b, value, integer(amount));
}
Value Floats::shiftRight(Value value, int64_t amount) {
  return arith::ShRUIOp::create(b, value, integer(amount));
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

Value Floats::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(b, condition, yes, no);
}
SmallVector<Value>
Floats::replaceRare(Value condition, ArrayRef<Value> usual,
                    function_ref<SmallVector<Value>()> compute) {
  auto branch = scf::IfOp::create(b, TypeRange(ValueRange(usual)), condition,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  branch->setAttr(kForAnyLane, b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> chosen;
  for (auto [found, other] : llvm::zip_equal(compute(), usual))
    chosen.push_back(select(condition, found, other));
  scf::YieldOp::create(b, chosen);
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, usual);
  return branch.getResults();
}
Value Floats::isLess(Value lhs, Value rhs) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, lhs, rhs);
}
Value Floats::isAtLeast(Value lhs, Value rhs) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, lhs, rhs);
}
Value Floats::isNotLess(Value lhs, Value rhs) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::UGE, lhs, rhs);
}
Value Floats::isEqual(Value lhs, Value rhs) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, lhs, rhs);
}
Value Floats::isUnequal(Value lhs, Value rhs) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, lhs, rhs);
}
Value Floats::isSigned(Value value) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, bits(value),
                               integer(0));
}
Value Floats::hasBit(Value integer, unsigned index) {
  Value masked = andBits(integer, this->integer(int64_t(1) << index));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                               this->integer(0));
}

//===----------------------------------------------------------------------===//
// Exponents
//===----------------------------------------------------------------------===//

/// Adding 1.5 * 2^mantissaBits leaves the nearest integer in the low bits.
Rounded Floats::roundProduct(Value x, double factor) {
  Value rounder = number(choose(0x1.8p23, 0x1.8p52));
  Value sum = fma(x, number(factor), rounder);
  return {sub(sum, rounder), subBits(bits(sum), bits(rounder))};
}

Value Floats::powerOfTwo(Value exponent) {
  return fromBits(
      shiftLeft(addBits(exponent, integer(exponentBias())), mantissaBits()));
}

/// In two steps: the power of two alone may be no number. Only the second step
/// may round, so the result is that of the CPU's own operation.
Value Floats::scale(Value value, Value exponent) {
  if (hasScale) {
    if (isF64())
      exponent = arith::TruncIOp::create(b, b.getI32Type(), exponent);
    // The operation of the LLVM dialect takes no vectors.
    auto call = LLVM::CallIntrinsicOp::create(b, value.getType(),
                                              b.getStringAttr("llvm.ldexp"),
                                              ValueRange{value, exponent});
    return call.getResult(0);
  }
  // Biases keep both halves positive: some CPUs shift 64 bits as unsigned only.
  Value biased = addBits(exponent, integer(2 * exponentBias()));
  Value half = shiftRight(biased, 1);
  Value rest = subBits(biased, half);
  Value first = mul(value, fromBits(shiftLeft(half, mantissaBits())));
  return mul(first, fromBits(shiftLeft(rest, mantissaBits())));
}

Decomposed Floats::decompose(Value x, bool mayBeSubnormal) {
  unsigned width = mantissaBits();
  double raise = choose(0x1.0p23, 0x1.0p52);
  int64_t bias = exponentBias() + 1;
  Value offset = number(raise + bias);
  if (mayBeSubnormal) {
    Value isSubnormal = isLess(x, number(choose(0x1.0p-126, 0x1.0p-1022)));
    x = select(isSubnormal, mul(x, number(raise)), x);
    offset = select(isSubnormal, number(raise + bias + width), offset);
  }

  // The bits of sqrt(1/2), from where on the exponent counts. The bias keeps
  // it positive.
  int64_t root = choose<int64_t>(0x3f3504f3, 0x3fe6a09e667f3bcd);
  Value distance = addBits(bits(x), integer((bias << width) - root));
  Value low = andBits(distance, integer((int64_t(1) << width) - 1));
  Value mantissa = fromBits(addBits(low, integer(root)));

  // As the low bits of 2^width, it is a float.
  Value biased = shiftRight(distance, width);
  Value sum = fromBits(orBits(biased, bits(number(raise))));
  return {sub(sum, offset), sub(mantissa, number(1.0)), biased};
}

Value Floats::inversePower(const Decomposed &parts) {
  Value exponent = subBits(integer(2 * exponentBias() + 1), parts.biased);
  return fromBits(shiftLeft(exponent, mantissaBits()));
}
