//===- Microscaling.cpp - Numbers of the microscaling formats -------------===//
//
// Written as integer arithmetic: it needs no small float type of the target,
// and no table in memory.
//
//===----------------------------------------------------------------------===//

#include "Microscaling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// The fields of a format without infinities and NaN, below its sign bit.
struct Fields {
  int32_t exponentBits, mantissaBits, bias;
};

/// Builds i32 and f32 arithmetic.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;

  Value integer(int32_t value) const {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }
  Value equal(Value a, int32_t b) const {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a,
                                 integer(b));
  }
  Value select(Value condition, Value yes, Value no) const {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  /// `count` bits of `value` from bit `first` on.
  Value bits(Value value, int32_t first, int32_t count) const {
    Value shifted = arith::ShRUIOp::create(builder, loc, value, integer(first));
    return arith::AndIOp::create(builder, loc, shifted,
                                 integer((1 << count) - 1));
  }
  Value extend(Value byte) const {
    return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), byte);
  }
  Value extendFloat(Value value) const {
    return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  }
};

} // namespace

/// With exponent e and mantissa m a number is a whole multiple of the smallest
/// one: m for e = 0, else (2^mantissaBits + m) * 2^(e - 1).
static Value decodeFields(OpBuilder &builder, Location loc, Value byte,
                          Fields fields) {
  Arithmetic a{builder, loc};
  Value code = a.extend(byte);
  Value mantissa = a.bits(code, 0, fields.mantissaBits);
  Value exponent = a.bits(code, fields.mantissaBits, fields.exponentBits);
  Value sign = a.bits(code, fields.mantissaBits + fields.exponentBits, 1);

  Value isSubnormal = a.equal(exponent, 0);
  Value leading =
      a.select(isSubnormal, a.integer(0), a.integer(1 << fields.mantissaBits));
  Value below = arith::SubIOp::create(builder, loc, exponent, a.integer(1));
  Value shift = a.select(isSubnormal, a.integer(0), below);
  Value digits = arith::OrIOp::create(builder, loc, leading, mantissa);
  Value multiple = arith::ShLIOp::create(builder, loc, digits, shift);

  Type f32 = builder.getF32Type();
  Value smallest = arith::ConstantOp::create(
      builder, loc,
      builder.getF32FloatAttr(
          std::ldexp(1.0f, 1 - fields.bias - fields.mantissaBits)));
  Value magnitude = arith::MulFOp::create(
      builder, loc, arith::UIToFPOp::create(builder, loc, f32, multiple),
      smallest);
  Value negated = arith::NegFOp::create(builder, loc, magnitude);
  return a.select(a.equal(sign, 0), magnitude, negated);
}

/// From 1 on, the bits of an f32 are those of the code, moved up and with
/// another bias; below are 0 and 1/2.
static Value decodeE2M1(OpBuilder &builder, Location loc, Value byte) {
  Arithmetic a{builder, loc};
  constexpr int32_t kHalf = 0x3f000000;
  Value code = a.extend(byte);
  Value magnitude = a.bits(code, 0, 3);
  Value moved = arith::ShLIOp::create(builder, loc, magnitude, a.integer(22));
  Value normal = arith::AddIOp::create(builder, loc, moved, a.integer(kHalf));
  Value below =
      arith::MulIOp::create(builder, loc, magnitude, a.integer(kHalf));
  Value isBelow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        magnitude, a.integer(2));
  Value sign = arith::ShLIOp::create(
      builder, loc, arith::AndIOp::create(builder, loc, code, a.integer(8)),
      a.integer(28));
  Value bits = arith::OrIOp::create(builder, loc,
                                    a.select(isBelow, below, normal), sign);
  return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
}

Value triton_shared::decodeElement(OpBuilder &builder, Location loc,
                                   Value element, tt::ScaleDotElemType format) {
  auto decodeFloat = [&](FloatType type) -> Value {
    if (element.getType() != type)
      element = arith::BitcastOp::create(builder, loc, type, element);
    return Arithmetic{builder, loc}.extendFloat(element);
  };
  MLIRContext *context = builder.getContext();
  switch (format) {
  case tt::ScaleDotElemType::E4M3:
    return decodeFloat(Float8E4M3FNType::get(context));
  case tt::ScaleDotElemType::E5M2:
    return decodeFloat(Float8E5M2Type::get(context));
  case tt::ScaleDotElemType::E2M3:
    return decodeFields(builder, loc, element, {2, 3, 1});
  case tt::ScaleDotElemType::E3M2:
    return decodeFields(builder, loc, element, {3, 2, 3});
  case tt::ScaleDotElemType::E2M1:
    return decodeE2M1(builder, loc, element);
  case tt::ScaleDotElemType::BF16:
    return decodeFloat(BFloat16Type::get(context));
  case tt::ScaleDotElemType::FP16:
    return decodeFloat(Float16Type::get(context));
  }
  llvm_unreachable("all formats are covered");
}

Value triton_shared::unpackElement(OpBuilder &builder, Location loc, Value byte,
                                   Value place) {
  Type type = byte.getType();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        place, zero);
  Value four =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 4));
  Value high = arith::ShRUIOp::create(builder, loc, byte, four);
  return arith::SelectOp::create(builder, loc, isFirst, byte, high);
}

Value triton_shared::decodeScale(OpBuilder &builder, Location loc,
                                 Value scale) {
  Arithmetic a{builder, loc};
  if (isa<FloatType>(scale.getType()))
    return a.extendFloat(scale);
  // The scale is the exponent of an f32, but for 2^-127, which is subnormal
  // there, and NaN.
  constexpr int32_t kSmallest = 0x00400000;
  constexpr int32_t kNaN = 0x7fc00000;
  Value exponent = a.extend(scale);
  Value bits = arith::ShLIOp::create(builder, loc, exponent, a.integer(23));
  bits = a.select(a.equal(exponent, 0), a.integer(kSmallest), bits);
  bits = a.select(a.equal(exponent, 255), a.integer(kNaN), bits);
  return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
}
