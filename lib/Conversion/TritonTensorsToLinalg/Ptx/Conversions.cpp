//===- Conversions.cpp - Assembly that converts numbers -------------------===//
//
// The many forms of PTX's `cvt`.
//
//===----------------------------------------------------------------------===//

#include "../Libdevice/LibraryFunctions.h"
#include "../MapElements.h"
#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

/// Computes one number from one of another type.
using Convert = std::function<Value(OpBuilder &, Location, Value)>;

/// Modes of rounding by the suffix that libdevice has for them.
StringRef getSuffix(StringRef mode) {
  return llvm::StringSwitch<StringRef>(mode.take_front(2))
      .Case("rn", "_rn")
      .Case("rz", "_rz")
      .Case("rm", "_rd")
      .Case("rp", "_ru")
      .Default("");
}

StringRef getIntegerName(bool isSigned, unsigned width) {
  if (width == 64)
    return isSigned ? "ll" : "ull";
  return isSigned ? "int" : "uint";
}

/// `value`, an integer, between the ends of type `to`, still in its own width.
Value clampTo(OpBuilder &builder, Location loc, Value value, bool isSigned,
              NumberType to) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  auto constant = [&](const APInt &bits) -> Value {
    return arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(value.getType(), bits));
  };
  APInt most = to.isSigned() ? APInt::getSignedMaxValue(to.width)
                             : APInt::getMaxValue(to.width);
  APInt least = to.isSigned() ? APInt::getSignedMinValue(to.width)
                              : APInt::getZero(to.width);
  // In a signed number of its own width, the largest unsigned one has no place.
  bool needsHigh = to.width < width || (to.isSigned() && !isSigned);
  if (!isSigned)
    return needsHigh ? Value(arith::MinUIOp::create(builder, loc, value,
                                                    constant(most.zext(width))))
                     : value;
  Value low = to.isSigned() ? constant(least.sext(width))
                            : constant(APInt::getZero(width));
  value = arith::MaxSIOp::create(builder, loc, value, low);
  if (to.width < width)
    value =
        arith::MinSIOp::create(builder, loc, value, constant(most.zext(width)));
  return value;
}

//===----------------------------------------------------------------------===//
// Between integers
//===----------------------------------------------------------------------===//

Convert betweenIntegers(NumberType to, NumberType from, bool saturates) {
  return [=](OpBuilder &builder, Location loc, Value value) {
    if (saturates) {
      unsigned width = std::max(to.width, from.width);
      value = resize(builder, loc, value, width, from.isSigned());
      value = clampTo(builder, loc, value, from.isSigned(), to);
    }
    return resize(builder, loc, value, to.width, from.isSigned());
  };
}

//===----------------------------------------------------------------------===//
// Between integers and floats
//===----------------------------------------------------------------------===//

Convert fromInteger(NumberType to, NumberType from, StringRef mode) {
  unsigned width = std::max(from.width, 32u);
  bool isSmall = to.width == 16;
  if (isSmall && mode != "rn")
    return {};
  std::string name = (getIntegerName(from.isSigned(), width) + "2" +
                      (to.width == 64 ? "double" : "float") + getSuffix(mode))
                         .str();
  // Numbers of 32 bits fit f64: no rounding, nothing in libdevice.
  bool isExact = to.width == 64 && width == 32;
  ScalarBuilder function;
  if (!isSmall && !isExact && mode != "rn") {
    function = findRoundedFunction(name);
    if (!function)
      return {};
  }
  return [=](OpBuilder &builder, Location loc, Value value) -> Value {
    Type type = getFloatType(builder.getContext(), to);
    value = resize(builder, loc, value, width, from.isSigned());
    if (function)
      return function(builder, loc, value, type);
    if (from.isSigned())
      return arith::SIToFPOp::create(builder, loc, type, value);
    return arith::UIToFPOp::create(builder, loc, type, value);
  };
}

/// The nearest integer that exists; NaN as libdevice has it.
Convert toInteger(NumberType to, NumberType from, StringRef mode) {
  if (mode.size() != 3 || !mode.ends_with("i"))
    return {};
  unsigned width = std::max(to.width, 32u);
  // Narrow ones are cut off a signed number, which holds all of their ends.
  bool isSigned = to.isSigned() || to.width < 32;
  std::string name = ((from.width == 64 ? "double2" : "float2") +
                      getIntegerName(isSigned, width) + getSuffix(mode))
                         .str();
  ScalarBuilder function = findConversionFunction(name);
  return [=](OpBuilder &builder, Location loc, Value value) {
    if (from.width == 16)
      value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    Value whole = function(builder, loc, value, builder.getIntegerType(width));
    if (to.width < 32)
      whole = clampTo(builder, loc, whole, /*isSigned=*/true, to);
    return resize(builder, loc, whole, to.width, isSigned);
  };
}

//===----------------------------------------------------------------------===//
// Between floats
//===----------------------------------------------------------------------===//

Value roundToWhole(OpBuilder &builder, Location loc, Value value,
                   StringRef mode) {
  if (mode == "rni")
    return math::RoundEvenOp::create(builder, loc, value);
  if (mode == "rzi")
    return math::TruncOp::create(builder, loc, value);
  if (mode == "rmi")
    return math::FloorOp::create(builder, loc, value);
  return math::CeilOp::create(builder, loc, value);
}

Value narrow(OpBuilder &builder, Location loc, Value value, FloatType type,
             StringRef mode) {
  if (mode == "rz" && type.getWidth() == 16)
    return arith::TruncFOp::create(
        builder, loc, type, value,
        arith::RoundingModeAttr::get(builder.getContext(),
                                     arith::RoundingMode::toward_zero),
        arith::FastMathFlagsAttr());
  if (mode != "rn")
    return findRoundedFunction(("double2float" + getSuffix(mode)).str())(
        builder, loc, value, type);
  return arith::TruncFOp::create(builder, loc, type, value);
}

Convert betweenFloats(NumberType to, NumberType from, StringRef mode) {
  bool isWhole = mode.size() == 3;
  bool isSame = to.width == from.width && to.kind == from.kind;
  bool isCross = to.width == from.width && !isSame;
  bool narrows = to.width < from.width || isCross;
  if ((isWhole && !isSame) || (isSame && !isWhole && !mode.empty()) ||
      (narrows && mode != "rn" && mode != "rz" &&
       !(to.width == 32 && (mode == "rm" || mode == "rp"))) ||
      (!narrows && !isSame && !mode.empty()))
    return {};
  std::string how = mode.str();
  return [=](OpBuilder &builder, Location loc, Value value) -> Value {
    FloatType type = getFloatType(builder.getContext(), to);
    if (isSame)
      return isWhole ? roundToWhole(builder, loc, value, how) : value;
    if (!narrows)
      return arith::ExtFOp::create(builder, loc, type, value);
    if (isCross)
      value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    return narrow(builder, loc, value, type, how);
  };
}

/// f32 with 10 bits of mantissa; ties go away from zero or to even.
Convert toTensorFloat(StringRef mode) {
  bool toEven = mode == "rn";
  return [=](OpBuilder &builder, Location loc, Value value) -> Value {
    Type bits = builder.getI32Type();
    auto constant = [&](int64_t number) {
      return createScalar(builder, loc, bits, number);
    };
    Value pattern = arith::BitcastOp::create(builder, loc, bits, value);
    Value half = constant(0x1000);
    if (toEven) {
      Value last = arith::AndIOp::create(
          builder, loc,
          arith::ShRUIOp::create(builder, loc, pattern, constant(13)),
          constant(1));
      half = arith::AddIOp::create(builder, loc, last, constant(0xFFF));
    }
    Value raised = arith::AddIOp::create(builder, loc, pattern, half);
    Value cut = arith::AndIOp::create(builder, loc, raised, constant(-0x2000));
    Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                        value, value);
    return arith::SelectOp::create(builder, loc, isNan, pattern, cut);
  };
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

Rule onNumber(NumberType to, NumberType from, Convert convert, bool flushes,
              bool saturates) {
  Rule rule;
  rule.results = {to.width};
  rule.operands = {Slot{from.width, from.isFloat(), /*mayBeWider=*/true}};
  rule.mayWiden = true;
  rule.widensSigned = to.isSigned();
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value value = in[0];
    if (from.isFloat()) {
      value = getLane(builder, loc, value, 0,
                      getFloatType(builder.getContext(), from));
      if (flushes && from.width == 32)
        value = flushSubnormal(builder, loc, value);
    }
    Value result = convert(builder, loc, value);
    if (to.isFloat()) {
      if (flushes && to.width == 32)
        result = flushSubnormal(builder, loc, result);
      if (saturates)
        result = saturateToUnit(builder, loc, result);
    }
    return SmallVector<Value>{joinLanes(builder, loc, result)};
  };
  return rule;
}

/// Two floats into the halves of a register; the first operand is the upper.
Rule intoPair(NumberType to, Convert convert) {
  Rule rule;
  rule.results = {to.registerWidth()};
  rule.operands = {Slot{32, true}, Slot{32, true}};
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    SmallVector<Value> lanes;
    for (Value bits : llvm::reverse(in))
      lanes.push_back(convert(
          builder, loc, getLane(builder, loc, bits, 0, builder.getF32Type())));
    return SmallVector<Value>{joinLanes(builder, loc, lanes)};
  };
  return rule;
}

/// The 8-bit format that `name` names two numbers of.
FloatType getSmallType(MLIRContext *context, StringRef name) {
  return name == "e4m3x2" ? FloatType(Float8E4M3FNType::get(context))
                          : FloatType(Float8E5M2Type::get(context));
}

Value saturateTo(OpBuilder &builder, Location loc, Value value,
                 FloatType type) {
  auto wide = cast<FloatType>(value.getType());
  APFloat most = APFloat::getLargest(type.getFloatSemantics());
  bool losesInfo;
  most.convert(wide.getFloatSemantics(), APFloat::rmNearestTiesToEven,
               &losesInfo);
  auto constant = [&](const APFloat &number) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(wide, number));
  };
  Value raised =
      arith::MaximumFOp::create(builder, loc, value, constant(neg(most)));
  return arith::MinimumFOp::create(builder, loc, raised, constant(most));
}

/// Two numbers into the bytes of 16 bits: from two f32, the first one the upper
/// byte, or from the halves of a register.
Rule intoBytes(StringRef name, NumberType from) {
  bool areLanes = from.lanes == 2;
  Rule rule;
  rule.results = {16};
  rule.operands.assign(areLanes ? 1 : 2, Slot{from.registerWidth(), !areLanes});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    FloatType small = getSmallType(builder.getContext(), name);
    Type number = getFloatType(builder.getContext(), from);
    SmallVector<Value> lanes;
    for (unsigned lane : {0, 1}) {
      Value value = areLanes ? getLane(builder, loc, in[0], lane, number)
                             : getLane(builder, loc, in[1 - lane], 0, number);
      value = saturateTo(builder, loc, value, small);
      lanes.push_back(arith::TruncFOp::create(builder, loc, small, value));
    }
    return SmallVector<Value>{joinLanes(builder, loc, lanes)};
  };
  return rule;
}

Rule fromBytes(StringRef name) {
  Rule rule;
  rule.results = {32};
  rule.operands = {Slot{16}};
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    FloatType small = getSmallType(builder.getContext(), name);
    SmallVector<Value> lanes;
    for (unsigned lane : {0, 1})
      lanes.push_back(
          arith::ExtFOp::create(builder, loc, builder.getF16Type(),
                                getLane(builder, loc, in[0], lane, small)));
    return SmallVector<Value>{joinLanes(builder, loc, lanes)};
  };
  return rule;
}

//===----------------------------------------------------------------------===//
// 4-bit floats
//===----------------------------------------------------------------------===//

/// The four bits of the f32 `value` as e2m1, in an i32: the nearest number, of
/// two the even one, and 6 beyond and for NaN, which loses its sign.
Value encodeE2M1(OpBuilder &builder, Location loc, Value value) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  auto integer = [&](int64_t number) {
    return createScalar(builder, loc, i32, number);
  };
  // 0, 0.5, 1, 1.5, 2, 3, 4 and 6 are numbered: as many as there are middles
  // below. At a middle itself, an odd number goes up. NaN is above all.
  constexpr std::array<float, 7> middles = {0.25, 0.75, 1.25, 1.75,
                                            2.5,  3.5,  5};
  Value size = math::AbsFOp::create(builder, loc, value);
  Value code = integer(0);
  for (auto [number, middle] : llvm::enumerate(middles)) {
    Value end = arith::ConstantOp::create(builder, loc,
                                          builder.getFloatAttr(f32, middle));
    auto predicate =
        number % 2 ? arith::CmpFPredicate::UGE : arith::CmpFPredicate::UGT;
    Value isAbove = arith::CmpFOp::create(builder, loc, predicate, size, end);
    code = arith::AddIOp::create(
        builder, loc, code, arith::ExtUIOp::create(builder, loc, i32, isAbove));
  }
  Value bits = arith::BitcastOp::create(builder, loc, i32, value);
  Value sign = arith::AndIOp::create(
      builder, loc, arith::ShRUIOp::create(builder, loc, bits, integer(28)),
      integer(8));
  Value isNumber = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::ORD, value, value);
  sign = arith::SelectOp::create(builder, loc, isNumber, sign, integer(0));
  return arith::OrIOp::create(builder, loc, sign, code);
}

/// The f16 of the e2m1 in the low bits of the i32 `code`: moved to the places
/// that f16 has for sign, exponent and mantissa, it is 2^14 times too small,
/// subnormal or not.
Value decodeE2M1(OpBuilder &builder, Location loc, Value code) {
  Type i32 = builder.getI32Type(), f16 = builder.getF16Type();
  auto shifted = [&](int64_t mask, int64_t by) -> Value {
    Value part = arith::AndIOp::create(builder, loc, code,
                                       createScalar(builder, loc, i32, mask));
    return arith::ShLIOp::create(builder, loc, part,
                                 createScalar(builder, loc, i32, by));
  };
  Value bits =
      arith::OrIOp::create(builder, loc, shifted(8, 12), shifted(7, 9));
  Value half = arith::BitcastOp::create(
      builder, loc, f16,
      arith::TruncIOp::create(builder, loc, builder.getI16Type(), bits));
  Value scale = arith::ConstantOp::create(builder, loc,
                                          builder.getFloatAttr(f16, 16384.0));
  return arith::MulFOp::create(builder, loc, half, scale);
}

/// Two f32 into the halves of a byte, the first one the upper.
Rule intoE2M1() {
  Rule rule;
  rule.results = {8};
  rule.operands = {Slot{32, true}, Slot{32, true}};
  rule.build = [](OpBuilder &builder, Location loc, ValueRange in) {
    auto encode = [&](Value bits) {
      return encodeE2M1(builder, loc,
                        getLane(builder, loc, bits, 0, builder.getF32Type()));
    };
    Value upper = arith::ShLIOp::create(
        builder, loc, encode(in[0]),
        createScalar(builder, loc, builder.getI32Type(), 4));
    Value both = arith::OrIOp::create(builder, loc, upper, encode(in[1]));
    return SmallVector<Value>{resize(builder, loc, both, 8, false)};
  };
  return rule;
}

/// The halves of a byte into those of a register.
Rule fromE2M1() {
  Rule rule;
  rule.results = {32};
  rule.operands = {Slot{8}};
  rule.build = [](OpBuilder &builder, Location loc, ValueRange in) {
    Value byte = resize(builder, loc, in[0], 32, false);
    Value upper = arith::ShRUIOp::create(
        builder, loc, byte,
        createScalar(builder, loc, builder.getI32Type(), 4));
    SmallVector<Value> lanes = {decodeE2M1(builder, loc, byte),
                                decodeE2M1(builder, loc, upper)};
    return SmallVector<Value>{joinLanes(builder, loc, lanes)};
  };
  return rule;
}

/// Conversions to and from 8-bit and 4-bit floats, two at a time.
std::optional<Rule> findSmallRule(Opcode opcode) {
  StringRef name = opcode.takeOneOf({"e4m3x2", "e5m2x2", "e2m1x2"});
  bool saturates = opcode.take("satfinite");
  if (name.empty() || !opcode.take("rn") || !opcode.modifiers.empty() ||
      opcode.types.size() != 1)
    return std::nullopt;
  NumberType type = opcode.types.front();
  bool isHalves = type.kind == NumberType::Kind::Float && type.width == 16 &&
                  type.lanes == 2;
  bool isF32 = type.kind == NumberType::Kind::Float && type.width == 32;
  if (name == "e2m1x2") {
    if (saturates && isF32)
      return intoE2M1();
    return !saturates && isHalves ? std::optional(fromE2M1()) : std::nullopt;
  }
  if (saturates && (isHalves || isF32))
    return intoBytes(name, type);
  if (!saturates && isHalves)
    return fromBytes(name);
  return std::nullopt;
}

} // namespace

std::optional<Rule> assembly::findConversionRule(Opcode opcode) {
  if (opcode.base != "cvt")
    return std::nullopt;
  if (llvm::any_of(opcode.modifiers, [](StringRef name) {
        return llvm::is_contained({"e4m3x2", "e5m2x2", "e2m1x2"}, name);
      }))
    return findSmallRule(opcode);
  StringRef mode = opcode.takeOneOf(
      {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"});
  bool flushes = opcode.take("ftz"), saturates = opcode.take("sat");
  if (opcode.take("tf32")) {
    NumberType f32 = {NumberType::Kind::Float, 32};
    if (opcode.types.size() != 1 || opcode.types.front().width != 32 ||
        (mode != "rna" && mode != "rn") || !opcode.modifiers.empty())
      return std::nullopt;
    return onNumber({NumberType::Kind::Bits, 32}, f32, toTensorFloat(mode),
                    false, false);
  }
  if (opcode.types.size() != 2 || !opcode.modifiers.empty() || mode == "rna")
    return std::nullopt;
  NumberType to = opcode.types[0], from = opcode.types[1];
  using Kind = NumberType::Kind;
  if (to.kind == Kind::Bits || from.kind == Kind::Bits ||
      to.kind == Kind::Predicate || from.kind == Kind::Predicate)
    return std::nullopt;
  if (to.lanes == 2) {
    NumberType lane = {to.kind, to.width};
    Convert convert = betweenFloats(lane, from, mode);
    bool isPair = to.isFloat() && from.isFloat() && from.width == 32 &&
                  from.lanes == 1 && convert && !flushes && !saturates;
    return isPair ? std::optional(intoPair(to, convert)) : std::nullopt;
  }
  if (from.lanes == 2)
    return std::nullopt;
  Convert convert;
  if (to.isFloat())
    convert = from.isFloat() ? betweenFloats(to, from, mode)
                             : fromInteger(to, from, mode);
  else if (from.isFloat())
    convert = toInteger(to, from, mode);
  else if (mode.empty())
    convert = betweenIntegers(to, from, saturates);
  if (!convert)
    return std::nullopt;
  return onNumber(to, from, convert, flushes, saturates);
}
