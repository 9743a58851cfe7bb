//===- Integers.cpp - libdevice functions on integers and bits ------------===//
//
// Bit tricks of libdevice in arith, and its conversions between integers and
// floats, which saturate where arith's are undefined.
//
//===----------------------------------------------------------------------===//

#include "../MapElements.h"
#include "LibraryFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// `value` as an integer of type `type`, sign extended or cut.
static Value resize(OpBuilder &builder, Location loc, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtSIOp::create(builder, loc, type, value);
  if (from > to)
    return arith::TruncIOp::create(builder, loc, type, value);
  return value;
}

/// An op of math on one integer, whose result may be narrower.
template <typename OpTy>
static Value count(OpBuilder &builder, Location loc, ValueRange in, Type type) {
  return resize(builder, loc, OpTy::create(builder, loc, in[0]), type);
}

/// The place of the lowest bit that is set, counted from 1; 0 if none is.
static Value findFirstSet(OpBuilder &builder, Location loc, ValueRange in,
                          Type type) {
  Type wide = in[0].getType();
  Value zero = createScalar(builder, loc, wide, 0);
  Value one = createScalar(builder, loc, wide, 1);
  Value zeros = math::CountTrailingZerosOp::create(builder, loc, in[0]);
  Value place = arith::AddIOp::create(builder, loc, zeros, one);
  Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       in[0], zero);
  Value found = arith::SelectOp::create(builder, loc, isZero, zero, place);
  return resize(builder, loc, found, type);
}

/// Swaps neighbouring groups of 1, 2, 4, ... bits.
static Value reverseBits(OpBuilder &builder, Location loc, ValueRange in,
                         Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  Value value = in[0];
  for (unsigned group = 1; group < width; group *= 2) {
    APInt low = APInt::getSplat(width, APInt::getLowBitsSet(2 * group, group));
    Value mask = arith::ConstantOp::create(builder, loc,
                                           builder.getIntegerAttr(type, low));
    Value shift = createScalar(builder, loc, type, group);
    Value up = arith::ShLIOp::create(
        builder, loc, arith::AndIOp::create(builder, loc, value, mask), shift);
    Value down = arith::AndIOp::create(
        builder, loc, arith::ShRUIOp::create(builder, loc, value, shift), mask);
    value = arith::OrIOp::create(builder, loc, up, down);
  }
  return value;
}

static Value reinterpret(OpBuilder &builder, Location loc, ValueRange in,
                         Type type) {
  return arith::BitcastOp::create(builder, loc, type, in[0]);
}

/// A half of the bits of an f64.
template <unsigned shift>
static Value halfOfDouble(OpBuilder &builder, Location loc, ValueRange in,
                          Type type) {
  Type bits = builder.getI64Type();
  Value pattern = arith::BitcastOp::create(builder, loc, bits, in[0]);
  Value amount = createScalar(builder, loc, bits, shift);
  Value half = arith::ShRUIOp::create(builder, loc, pattern, amount);
  return arith::TruncIOp::create(builder, loc, type, half);
}

static Value doubleFromHalves(OpBuilder &builder, Location loc, ValueRange in,
                              Type type) {
  Type bits = builder.getI64Type();
  Value high = arith::ExtUIOp::create(builder, loc, bits, in[0]);
  Value low = arith::ExtUIOp::create(builder, loc, bits, in[1]);
  Value amount = createScalar(builder, loc, bits, 32);
  high = arith::ShLIOp::create(builder, loc, high, amount);
  Value pattern = arith::OrIOp::create(builder, loc, high, low);
  return arith::BitcastOp::create(builder, loc, type, pattern);
}

Value triton_shared::permuteBytes(OpBuilder &builder, Location loc, Value low,
                                  Value high, Value selector,
                                  bool repeatsSign) {
  Type wide = builder.getI64Type();
  auto constant = [&](int64_t value) {
    return createScalar(builder, loc, wide, value);
  };
  auto make = [&](auto op, Value x, Value y) -> Value {
    return decltype(op)::create(builder, loc, x, y);
  };
  Value both =
      make(arith::OrIOp(),
           make(arith::ShLIOp(),
                arith::ExtUIOp::create(builder, loc, wide, high), constant(32)),
           arith::ExtUIOp::create(builder, loc, wide, low));
  Value digits = arith::ExtUIOp::create(builder, loc, wide, selector);
  Value result = constant(0);
  for (unsigned place = 0; place < 4; ++place) {
    Value digit = make(arith::ShRUIOp(), digits, constant(4 * place));
    Value amount = make(arith::ShLIOp(),
                        make(arith::AndIOp(), digit, constant(7)), constant(3));
    Value byte = make(arith::AndIOp(), make(arith::ShRUIOp(), both, amount),
                      constant(0xFF));
    if (repeatsSign) {
      Value sign = make(arith::ShRUIOp(), byte, constant(7));
      Value repeated = make(arith::MulIOp(), sign, constant(0xFF));
      Value isAsked = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ne,
          make(arith::AndIOp(), digit, constant(8)), constant(0));
      byte = arith::SelectOp::create(builder, loc, isAsked, repeated, byte);
    }
    result = make(arith::OrIOp(), result,
                  make(arith::ShLIOp(), byte, constant(8 * place)));
  }
  return arith::TruncIOp::create(builder, loc, builder.getI32Type(), result);
}

static Value permuteThreeBytes(OpBuilder &builder, Location loc, ValueRange in,
                               Type) {
  return permuteBytes(builder, loc, in[0], in[1], in[2],
                      /*repeatsSign=*/false);
}

/// The reciprocal of an f64 of which only the upper 32 bits count, rounded to
/// such a number. Subnormal numbers are zeros.
static Value reciprocalOfHalf(OpBuilder &builder, Location loc, ValueRange in,
                              Type type) {
  Type bits = builder.getI64Type();
  auto upper = [&](Value value, int64_t rounding) -> Value {
    Value pattern = arith::BitcastOp::create(builder, loc, bits, value);
    Value up = arith::AddIOp::create(
        builder, loc, pattern, createScalar(builder, loc, bits, rounding));
    Value mask = arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(bits, APInt::getHighBitsSet(64, 32)));
    Value cut = arith::AndIOp::create(builder, loc, up, mask);
    return arith::BitcastOp::create(builder, loc, type, cut);
  };
  auto flush = [&](Value value) -> Value {
    Value magnitude = math::AbsFOp::create(builder, loc, value);
    Value least = createScalar(builder, loc, type, 0x1p-1022);
    Value isTiny = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OLT, magnitude, least);
    Value zero = math::CopySignOp::create(
        builder, loc, createScalar(builder, loc, type, 0), value);
    return arith::SelectOp::create(builder, loc, isTiny, zero, value);
  };
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      in[0], in[0]);
  Value one = createScalar(builder, loc, type, 1);
  Value quotient = createExactQuotient(builder, loc, one,
                                       flush(upper(in[0], /*rounding=*/0)));
  Value result = flush(upper(quotient, int64_t(1) << 31));
  return arith::SelectOp::create(builder, loc, isNan, in[0], result);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The upper half of a product.
template <typename OpTy>
static Value multiplyHigh(OpBuilder &builder, Location loc, ValueRange in,
                          Type) {
  return OpTy::create(builder, loc, in[0], in[1]).getHigh();
}

/// The lower 32 bits of the product of the lower 24 bits.
template <typename ShiftOp>
static Value multiply24(OpBuilder &builder, Location loc, ValueRange in,
                        Type type) {
  Value eight = createScalar(builder, loc, type, 8);
  auto cut = [&](Value value) -> Value {
    Value up = arith::ShLIOp::create(builder, loc, value, eight);
    return ShiftOp::create(builder, loc, up, eight);
  };
  return arith::MulIOp::create(builder, loc, cut(in[0]), cut(in[1]));
}

/// `|x - y| + z`.
template <typename MaxOp, typename MinOp>
static Value sumOfDifference(OpBuilder &builder, Location loc, ValueRange in,
                             Type) {
  Value larger = MaxOp::create(builder, loc, in[0], in[1]);
  Value smaller = MinOp::create(builder, loc, in[0], in[1]);
  Value difference = arith::SubIOp::create(builder, loc, larger, smaller);
  return arith::AddIOp::create(builder, loc, difference, in[2]);
}

/// The mean of two integers, rounded down or up, without overflow: the bits
/// both have (or one has) and half of the bits that differ.
template <typename ShiftOp, bool up>
static Value mean(OpBuilder &builder, Location loc, ValueRange in, Type type) {
  Value one = createScalar(builder, loc, type, 1);
  Value differ = arith::XOrIOp::create(builder, loc, in[0], in[1]);
  Value half = ShiftOp::create(builder, loc, differ, one);
  if (up) {
    Value either = arith::OrIOp::create(builder, loc, in[0], in[1]);
    return arith::SubIOp::create(builder, loc, either, half);
  }
  Value both = arith::AndIOp::create(builder, loc, in[0], in[1]);
  return arith::AddIOp::create(builder, loc, both, half);
}

template <typename OpTy>
static Value choose(OpBuilder &builder, Location loc, ValueRange in, Type) {
  return OpTy::create(builder, loc, in[0], in[1]);
}

ScalarBuilder triton_shared::findIntegerFunction(StringRef name) {
  return llvm::StringSwitch<ScalarBuilder>(name)
      .Cases({"clz", "clzll"}, count<math::CountLeadingZerosOp>)
      .Cases({"popc", "popcll"}, count<math::CtPopOp>)
      .Cases({"abs", "llabs"}, count<math::AbsIOp>)
      .Cases({"ffs", "ffsll"}, findFirstSet)
      .Cases({"brev", "brevll"}, reverseBits)
      .Cases({"int_as_float", "uint_as_float"}, reinterpret)
      .Cases({"float_as_int", "float_as_uint"}, reinterpret)
      .Cases({"longlong_as_double", "double_as_longlong"}, reinterpret)
      .Case("double2loint", halfOfDouble<0>)
      .Case("double2hiint", halfOfDouble<32>)
      .Case("hiloint2double", doubleFromHalves)
      .Case("byte_perm", permuteThreeBytes)
      .Case("rcp64h", reciprocalOfHalf)
      .Cases({"mulhi", "mul64hi"}, multiplyHigh<arith::MulSIExtendedOp>)
      .Cases({"umulhi", "umul64hi"}, multiplyHigh<arith::MulUIExtendedOp>)
      .Case("mul24", multiply24<arith::ShRSIOp>)
      .Case("umul24", multiply24<arith::ShRUIOp>)
      .Case("sad", sumOfDifference<arith::MaxSIOp, arith::MinSIOp>)
      .Case("usad", sumOfDifference<arith::MaxUIOp, arith::MinUIOp>)
      .Case("hadd", mean<arith::ShRSIOp, false>)
      .Case("uhadd", mean<arith::ShRUIOp, false>)
      .Case("rhadd", mean<arith::ShRSIOp, true>)
      .Case("urhadd", mean<arith::ShRUIOp, true>)
      .Cases({"max", "llmax"}, choose<arith::MaxSIOp>)
      .Cases({"umax", "ullmax"}, choose<arith::MaxUIOp>)
      .Cases({"min", "llmin"}, choose<arith::MinSIOp>)
      .Cases({"umin", "ullmin"}, choose<arith::MinUIOp>)
      .Default({});
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// A whole number as an integer: the nearest that exists, and for NaN what the
/// GPU gives, 0 or (with 64 bits on either side) the sign bit alone.
static Value saturateToInteger(OpBuilder &builder, Location loc, Value whole,
                               IntegerType type, bool isSigned) {
  auto floating = cast<FloatType>(whole.getType());
  unsigned width = type.getWidth();
  APInt least = isSigned ? APInt::getSignedMinValue(width) : APInt(width, 0);
  APInt most =
      isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  bool isWide = width == 64 || floating.getWidth() == 64;
  APInt ofNan = isWide ? APInt::getSignMask(width) : APInt(width, 0);
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  // `limit` is the power of two above `most`, which any float can hold.
  double limit = std::ldexp(1.0, isSigned ? width - 1 : width);
  Value low = createScalar(builder, loc, floating, isSigned ? -limit : 0.0);
  Value high = createScalar(builder, loc, floating, limit);
  Value isLow = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLE,
                                      whole, low);
  Value isHigh = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE,
                                       whole, high);
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      whole, whole);
  Value result;
  if (isSigned)
    result = arith::FPToSIOp::create(builder, loc, type, whole);
  else
    result = arith::FPToUIOp::create(builder, loc, type, whole);
  result =
      arith::SelectOp::create(builder, loc, isLow, constant(least), result);
  result =
      arith::SelectOp::create(builder, loc, isHigh, constant(most), result);
  return arith::SelectOp::create(builder, loc, isNan, constant(ofNan), result);
}

template <typename RoundOp>
static Value roundValue(OpBuilder &builder, Location loc, Value value) {
  return RoundOp::create(builder, loc, value);
}

using Rounding = Value (*)(OpBuilder &, Location, Value);

static ScalarBuilder convertToInteger(Rounding round, bool isSigned) {
  return [=](OpBuilder &builder, Location loc, ValueRange in, Type type) {
    return saturateToInteger(builder, loc, round(builder, loc, in[0]),
                             cast<IntegerType>(type), isSigned);
  };
}

template <typename OpTy>
static Value convert(OpBuilder &builder, Location loc, ValueRange in,
                     Type type) {
  return OpTy::create(builder, loc, type, in[0]);
}

ScalarBuilder triton_shared::findConversionFunction(StringRef name) {
  if (name == "llrint" || name == "llround")
    return convertToInteger(name == "llrint" ? roundValue<math::RoundEvenOp>
                                             : roundValue<math::RoundOp>,
                            /*isSigned=*/true);
  auto [types, mode] = name.rsplit('_');
  auto [from, to] = types.split('2');
  bool fromFloat = from == "float" || from == "double";
  bool toFloat = to == "float" || to == "double";
  if (to == "int" || to == "ll" || to == "uint" || to == "ull") {
    Rounding round = llvm::StringSwitch<Rounding>(mode)
                         .Case("rn", roundValue<math::RoundEvenOp>)
                         .Case("rz", roundValue<math::TruncOp>)
                         .Case("rd", roundValue<math::FloorOp>)
                         .Case("ru", roundValue<math::CeilOp>)
                         .Default(nullptr);
    if (!fromFloat || !round)
      return {};
    return convertToInteger(round, /*isSigned=*/!to.starts_with("u"));
  }
  if (!toFloat || mode != "rn")
    return {};
  return llvm::StringSwitch<ScalarBuilder>(from)
      .Cases({"int", "ll"}, convert<arith::SIToFPOp>)
      .Cases({"uint", "ull"}, convert<arith::UIToFPOp>)
      .Case("double", convert<arith::TruncFOp>)
      .Default({});
}
