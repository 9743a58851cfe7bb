//===- Conversions.cpp - Assembly that converts numbers -------------------===//
//
// The many forms of PTX's `cvt`.
//
//===----------------------------------------------------------------------===//

#include "../Libdevice/LibraryFunctions.h"
#include "../MapElements.h"
#include "Halves.h"
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

/// An integer of 32 bits or more as an f32 or f64.
Convert fromWord(NumberType to, NumberType from, StringRef mode) {
  std::string name = (getIntegerName(from.isSigned(), from.width) + "2" +
                      (to.width == 64 ? "double" : "float") + getSuffix(mode))
                         .str();
  // Numbers of 32 bits fit f64: no rounding, nothing in libdevice.
  bool isExact = to.width == 64 && from.width == 32;
  ScalarBuilder function;
  if (!isExact && mode != "rn") {
    function = findRoundedFunction(name);
    if (!function)
      return {};
  }
  return [=](OpBuilder &builder, Location loc, Value value) -> Value {
    Type type = getFloatType(builder.getContext(), to);
    if (function)
      return function(builder, loc, value, type);
    if (from.isSigned())
      return arith::SIToFPOp::create(builder, loc, type, value);
    return arith::UIToFPOp::create(builder, loc, type, value);
  };
}

/// An integer of 32 bits or more as an f16 or bf16. All of an f64 that 64 bits
/// are cut off to is above the last bit of such a float, which that one tells.
Convert fromWordToHalf(NumberType to, NumberType from, StringRef mode) {
  NumberType f64{NumberType::Kind::Float, 64};
  Convert cut = fromWord(f64, from, "rz");
  std::string how = mode.str();
  return [=](OpBuilder &builder, Location loc, Value value) -> Value {
    Value wide = cut(builder, loc, value);
    if (from.width == 64) {
      Type integer = value.getType();
      Value back =
          from.isSigned()
              ? Value(arith::FPToSIOp::create(builder, loc, integer, wide))
              : Value(arith::FPToUIOp::create(builder, loc, integer, wide));
      wide =
          markInexact(builder, loc, wide,
                      arith::CmpIOp::create(
                          builder, loc, arith::CmpIPredicate::ne, back, value));
    }
    return narrowToHalf(builder, loc, wide,
                        getFloatType(builder.getContext(), to), how);
  };
}

Convert fromInteger(NumberType to, NumberType from, StringRef mode) {
  NumberType word{from.kind, std::max(from.width, 32u)};
  // f32 holds 16 bits, and all that are a finite f16.
  bool isDirect = to.width > 16 ||
                  (mode == "rn" &&
                   (from.width <= 16 || to.kind == NumberType::Kind::Float));
  Convert convert =
      isDirect ? fromWord(to, word, mode) : fromWordToHalf(to, word, mode);
  if (!convert)
    return {};
  return [=](OpBuilder &builder, Location loc, Value value) {
    return convert(builder, loc,
                   resize(builder, loc, value, word.width, from.isSigned()));
  };
}

/// The nearest integer that exists; NaN as libdevice and GPUs have it: of f64
/// the top bit alone, of others 0 up to 32 bits.
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
    if (to.width < 32 && from.width == 64 && !to.isSigned())
      whole = arith::SelectOp::create(
          builder, loc,
          arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value,
                                value),
          createBits(builder, loc, width, 1 << (to.width - 1)), whole);
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
  if (type.getWidth() == 16)
    return narrowToHalf(builder, loc, value, type, mode);
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
      (narrows && getSuffix(mode).empty()) ||
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

/// f32 with 10 bits of mantissa; ties go away from zero or to even, or all goes
/// towards zero.
Convert toTensorFloat(StringRef mode) {
  bool toEven = mode == "rn", toZero = mode == "rz";
  return [=](OpBuilder &builder, Location loc, Value value) -> Value {
    Type bits = builder.getI32Type();
    auto constant = [&](int64_t number) {
      return createScalar(builder, loc, bits, number);
    };
    Value pattern = arith::BitcastOp::create(builder, loc, bits, value);
    Value half = constant(toZero ? 0 : 0x1000);
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

/// `convert` of what is in the range of `format`, or is not negative.
Convert limit(Convert convert, const llvm::fltSemantics &format, bool rectifies,
              bool saturates) {
  if (!convert || (!rectifies && !saturates))
    return convert;
  return [=, &format](OpBuilder &builder, Location loc, Value value) {
    if (rectifies)
      value = rectify(builder, loc, value);
    if (saturates)
      value = saturateTo(builder, loc, value, format);
    return convert(builder, loc, value);
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

std::optional<Rule> findTensorFloatRule(Opcode opcode, StringRef mode,
                                        bool rectifies, bool saturates) {
  NumberType f32 = {NumberType::Kind::Float, 32};
  bool isKnown = mode == "rna" ? !rectifies : mode == "rn" || mode == "rz";
  if (!isKnown || opcode.types.size() != 1 ||
      opcode.types.front().width != 32 || !opcode.modifiers.empty())
    return std::nullopt;
  Convert convert =
      limit(toTensorFloat(mode), APFloat::FloatTF32(), rectifies, saturates);
  return onNumber({NumberType::Kind::Bits, 32}, f32, convert, false, false);
}

/// Two f32 into halves.
std::optional<Rule> findPairRule(NumberType to, NumberType from,
                                 Convert convert) {
  bool isPair = to.isFloat() && from.isFloat() && from.width == 32 &&
                from.lanes == 1 && convert;
  return isPair ? std::optional(intoPair(to, convert)) : std::nullopt;
}

} // namespace

std::optional<Rule> assembly::findConversionRule(Opcode opcode) {
  if (opcode.base != "cvt")
    return std::nullopt;
  StringRef mode = opcode.takeOneOf(
      {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"});
  bool flushes = opcode.take("ftz"), saturates = opcode.take("sat");
  bool rectifies = opcode.take("relu"), isFinite = opcode.take("satfinite");
  if (opcode.take("tf32"))
    return flushes || saturates
               ? std::nullopt
               : findTensorFloatRule(opcode, mode, rectifies, isFinite);
  if (opcode.types.size() != 2 || !opcode.modifiers.empty() || mode == "rna")
    return std::nullopt;
  NumberType to = opcode.types[0], from = opcode.types[1];
  using Kind = NumberType::Kind;
  if (to.kind == Kind::Bits || from.kind == Kind::Bits ||
      to.kind == Kind::Predicate || from.kind == Kind::Predicate ||
      from.lanes == 2)
    return std::nullopt;
  if ((rectifies || isFinite) &&
      !(to.isFloat() && to.width == 16 && from.isFloat() && from.width == 32))
    return std::nullopt;
  Convert convert;
  if (to.isFloat())
    convert = from.isFloat() ? betweenFloats({to.kind, to.width}, from, mode)
                             : fromInteger(to, from, mode);
  else if (from.isFloat())
    convert = toInteger(to, from, mode);
  else if (mode.empty())
    convert = betweenIntegers(to, from, saturates);
  const llvm::fltSemantics &half =
      to.kind == Kind::BFloat ? APFloat::BFloat() : APFloat::IEEEhalf();
  convert = limit(convert, half, rectifies, isFinite);
  if (to.lanes == 2)
    return flushes || saturates ? std::nullopt
                                : findPairRule(to, from, convert);
  if (!convert)
    return std::nullopt;
  return onNumber(to, from, convert, flushes, saturates);
}
