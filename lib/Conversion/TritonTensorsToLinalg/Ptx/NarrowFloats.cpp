//===- NarrowFloats.cpp - Assembly that converts floats of few bits -------===//
//
// PTX's `cvt` to and from floats of 4, 6 and 8 bits, two or four at a time. A
// format is LLVM's description of it: one algorithm knows them all, and f16 and
// bf16 where random bits decide which neighbour a number becomes.
//
//===----------------------------------------------------------------------===//

#include "../MapElements.h"
#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

struct Format {
  const llvm::fltSemantics *semantics;
  unsigned place; ///< The bits that a number takes in a register.

  unsigned width() const { return APFloat::getSizeInBits(*semantics); }
  unsigned mantissa() const {
    return APFloat::semanticsPrecision(*semantics) - 1;
  }
  /// Of the smallest normal number.
  int exponent() const { return APFloat::semanticsMinExponent(*semantics); }
  bool hasNan() const { return APFloat::semanticsHasNaN(*semantics); }

  /// The type of MLIR that the rest of the compiler knows, if it is one.
  FloatType getType(MLIRContext *context) const {
    if (semantics == &APFloat::Float8E4M3FN())
      return Float8E4M3FNType::get(context);
    if (semantics == &APFloat::Float8E5M2())
      return Float8E5M2Type::get(context);
    return {};
  }
};

std::optional<Format> findFormat(StringRef name) {
  return llvm::StringSwitch<std::optional<Format>>(name)
      .Case("e4m3", Format{&APFloat::Float8E4M3FN(), 8})
      .Case("e5m2", Format{&APFloat::Float8E5M2(), 8})
      .Case("e2m3", Format{&APFloat::Float6E2M3FN(), 8})
      .Case("e3m2", Format{&APFloat::Float6E3M2FN(), 8})
      .Case("e2m1", Format{&APFloat::Float4E2M1FN(), 4})
      .Default(std::nullopt);
}

/// Bits that decide which neighbour a number becomes: `count` of them.
struct RandomBits {
  Value bits;
  unsigned count = 0;
};

/// Builds what converts one number.
class Converter {
public:
  Converter(OpBuilder &builder, Location loc, Format format)
      : builder(builder), loc(loc), format(format) {}

  /// The pattern of the f32 `value`, in an i32. What lies beyond the largest
  /// number is that one, or infinity if the format has one and not `saturates`;
  /// so is NaN, without its sign, where the format has none.
  Value encode(Value value, RandomBits random, bool saturates) {
    Value size = math::AbsFOp::create(builder, loc, value);
    unsigned shift = 23 - format.mantissa();
    Value code;
    if (format.exponent() == APFloat::semanticsMinExponent(f32())) {
      // Of f32's own exponents: its pattern is cut off.
      if (saturates)
        size = clip(size, saturates);
      code = shiftRight(add(toBits(size), random.bits), shift);
    } else {
      code = roundSize(clip(size, saturates), random);
    }
    Value sign = shiftRight(toBits(value), 32 - format.width());
    sign = arith::AndIOp::create(builder, loc, sign,
                                 integer(1 << (format.width() - 1)));
    Value isNumber = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::ORD, value, value);
    if (!format.hasNan()) {
      sign = select(isNumber, sign, integer(0));
      return arith::OrIOp::create(builder, loc, sign, code);
    }
    APInt nan = APFloat::getNaN(*format.semantics).bitcastToAPInt();
    code = arith::OrIOp::create(builder, loc, sign, code);
    return select(isNumber, code,
                  integer(nan.getZExtValue() | ((1 << format.mantissa()) - 1)));
  }

  /// The f16 of the pattern in the low bits of the i32 `code`: moved to the
  /// places that f16 has for sign, exponent and mantissa, it is too small by
  /// what the exponents are apart, subnormal or not.
  Value decode(Value code) {
    unsigned sign = format.width() - 1;
    auto moved = [&](int64_t mask, unsigned by) -> Value {
      Value part = arith::AndIOp::create(builder, loc, code, integer(mask));
      return arith::ShLIOp::create(builder, loc, part, integer(by));
    };
    Value bits =
        arith::OrIOp::create(builder, loc, moved(1 << sign, 15 - sign),
                             moved((1 << sign) - 1, 10 - format.mantissa()));
    Value half = arith::BitcastOp::create(
        builder, loc, builder.getF16Type(),
        resize(builder, loc, bits, 16, /*isSigned=*/false));
    int apart =
        format.exponent() - APFloat::semanticsMinExponent(APFloat::IEEEhalf());
    Value scale = arith::ConstantOp::create(
        builder, loc,
        builder.getFloatAttr(builder.getF16Type(), std::ldexp(1.0, apart)));
    return arith::MulFOp::create(builder, loc, half, scale);
  }

private:
  static const llvm::fltSemantics &f32() { return APFloat::IEEEsingle(); }

  /// The pattern of `size`, which is no NaN and not beyond what has a pattern.
  /// It counts units of the last place; those of a larger exponent come after.
  Value roundSize(Value size, RandomBits random) {
    int least = format.exponent() + 127;
    int digits = format.mantissa() + random.count;
    Value exponent = arith::MaxSIOp::create(
        builder, loc, shiftRight(toBits(size), 23), integer(least));
    // 2^digits over the power of two in `size`.
    Value scale =
        arith::SubIOp::create(builder, loc, integer(254 + digits), exponent);
    scale = arith::ShLIOp::create(builder, loc, scale, integer(23));
    scale = arith::BitcastOp::create(builder, loc, builder.getF32Type(), scale);
    Value units = arith::MulFOp::create(builder, loc, size, scale);
    if (!random.count)
      units = math::RoundEvenOp::create(builder, loc, units);
    Value count =
        arith::FPToSIOp::create(builder, loc, builder.getI32Type(), units);
    if (random.count)
      count = shiftRight(add(count, random.bits), random.count);
    Value before =
        arith::SubIOp::create(builder, loc, exponent, integer(least));
    before =
        arith::ShLIOp::create(builder, loc, before, integer(format.mantissa()));
    return add(count, before);
  }

  /// NaN becomes the end.
  Value clip(Value size, bool saturates) {
    APFloat end = APFloat::getLargest(*format.semantics);
    if (!saturates)
      end = scalbn(APFloat::getOne(*format.semantics),
                   APFloat::semanticsMaxExponent(*format.semantics),
                   APFloat::rmTowardZero);
    bool losesInfo;
    end.convert(f32(), APFloat::rmTowardZero, &losesInfo);
    if (!saturates)
      end = end + end;
    Value most = arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(builder.getF32Type(), end));
    return arith::MinNumFOp::create(builder, loc, size, most);
  }

  Value integer(int64_t number) {
    return createScalar(builder, loc, builder.getI32Type(), number);
  }
  Value toBits(Value value) {
    return arith::BitcastOp::create(builder, loc, builder.getI32Type(), value);
  }
  Value shiftRight(Value bits, unsigned by) {
    return arith::ShRUIOp::create(builder, loc, bits, integer(by));
  }
  Value add(Value x, Value y) {
    return arith::AddIOp::create(builder, loc, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(builder, loc, condition, x, y);
  }

  OpBuilder &builder;
  Location loc;
  Format format;
};

//===----------------------------------------------------------------------===//
// To the nearest
//===----------------------------------------------------------------------===//

/// Two numbers into two places.
Rule intoPlaces(Format format, NumberType from, bool rectifies) {
  PairSource source{from};
  Rule rule;
  rule.results = {2 * format.place};
  rule.operands = source.getSlots();
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    FloatType type = format.getType(builder.getContext());
    SmallVector<Value> lanes;
    for (unsigned lane : {0, 1}) {
      Value value = source.getNumber(builder, loc, in, lane);
      if (!type || value.getType().isBF16())
        value = widen(builder, loc, value);
      if (rectifies)
        value = rectify(builder, loc, value);
      if (type) {
        value = saturateTo(builder, loc, value, *format.semantics);
        value = arith::TruncFOp::create(builder, loc, type, value);
      } else {
        value = Converter(builder, loc, format).encode(value, {}, true);
      }
      lanes.push_back(value);
    }
    return SmallVector<Value>{
        type ? joinLanes(builder, loc, lanes)
             : joinPlaces(builder, loc, lanes, format.place)};
  };
  return rule;
}

/// Two places into the halves of a register.
Rule fromPlaces(Format format, bool rectifies) {
  Rule rule;
  rule.results = {32};
  rule.operands = {Slot{2 * format.place}};
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    FloatType type = format.getType(builder.getContext());
    SmallVector<Value> lanes;
    for (unsigned lane : {0, 1}) {
      Value half;
      if (type)
        half = arith::ExtFOp::create(builder, loc, builder.getF16Type(),
                                     getLane(builder, loc, in[0], lane, type));
      else
        half =
            Converter(builder, loc, format)
                .decode(getBitsFrom(builder, loc, in[0], lane * format.place));
      lanes.push_back(rectifies ? rectify(builder, loc, half) : half);
    }
    return SmallVector<Value>{joinLanes(builder, loc, lanes)};
  };
  return rule;
}

//===----------------------------------------------------------------------===//
// By random bits
//===----------------------------------------------------------------------===//

/// The `count` bits at `from` of the random register.
RandomBits takeRandom(OpBuilder &builder, Location loc, Value bits,
                      unsigned from, unsigned count) {
  Value part = getBitsFrom(builder, loc, bits, from);
  Value mask =
      createScalar(builder, loc, builder.getI32Type(), (1 << count) - 1);
  return {arith::AndIOp::create(builder, loc, part, mask), count};
}

/// Four f32, the first one highest, into four places. Of the random bits, the
/// upper two have the upper half, the others the lower one, both of the two all
/// of it; but numbers of 4 bits have a byte each, the upper two the upper bytes
/// of the halves.
Rule intoFourPlaces(Format format, bool rectifies) {
  bool isShared = format.width() > 4;
  Rule rule;
  rule.results = {4 * format.place};
  rule.operands = {Slot{32, true, false, /*parts=*/4}, Slot{32}};
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    constexpr std::array<unsigned, 4> halves = {0, 0, 16, 16};
    constexpr std::array<unsigned, 4> bytes = {0, 16, 8, 24};
    SmallVector<Value> lanes;
    for (unsigned lane = 0; lane < 4; ++lane) {
      Value value =
          getLane(builder, loc, in[3 - lane], 0, builder.getF32Type());
      if (rectifies)
        value = rectify(builder, loc, value);
      RandomBits random =
          takeRandom(builder, loc, in[4], isShared ? halves[lane] : bytes[lane],
                     isShared ? 16 : 8);
      lanes.push_back(Converter(builder, loc, format)
                          .encode(value, random, /*saturates=*/true));
    }
    return SmallVector<Value>{joinPlaces(builder, loc, lanes, format.place)};
  };
  return rule;
}

/// Two f32 into the halves of a register, by the low bits of its halves.
Rule intoHalves(NumberType to, bool rectifies, bool saturates) {
  Format format{to.kind == NumberType::Kind::BFloat ? &APFloat::BFloat()
                                                    : &APFloat::IEEEhalf(),
                16};
  PairSource source{{NumberType::Kind::Float, 32}};
  Rule rule;
  rule.results = {32};
  rule.operands = source.getSlots();
  rule.operands.push_back(Slot{32});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    SmallVector<Value> lanes;
    for (unsigned lane : {0, 1}) {
      Value value = source.getNumber(builder, loc, in, lane);
      if (rectifies)
        value = rectify(builder, loc, value);
      RandomBits random =
          takeRandom(builder, loc, in[2], lane * 16, 23 - format.mantissa());
      lanes.push_back(
          Converter(builder, loc, format).encode(value, random, saturates));
    }
    return SmallVector<Value>{joinPlaces(builder, loc, lanes, format.place)};
  };
  return rule;
}

std::optional<Rule> findRandomRule(Opcode opcode) {
  bool rectifies = opcode.take("relu"), saturates = opcode.take("satfinite");
  StringRef name =
      opcode.takeOneOf({"e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4", "e2m1x4"});
  if (!opcode.modifiers.empty() || opcode.types.empty() ||
      !PairSource{opcode.types.back()}.isKnown() ||
      PairSource{opcode.types.back()}.isRegister())
    return std::nullopt;
  if (!name.empty())
    return saturates && opcode.types.size() == 1
               ? std::optional(
                     intoFourPlaces(*findFormat(name.drop_back(2)), rectifies))
               : std::nullopt;
  NumberType to = opcode.types.front();
  if (opcode.types.size() != 2 || !PairSource{to}.isKnown() ||
      !PairSource{to}.isRegister())
    return std::nullopt;
  return intoHalves(to, rectifies, saturates);
}

} // namespace

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

std::optional<Rule> assembly::findNarrowRule(Opcode opcode) {
  if (opcode.base != "cvt")
    return std::nullopt;
  if (opcode.take("rs"))
    return findRandomRule(opcode);
  StringRef name =
      opcode.takeOneOf({"e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2"});
  bool saturates = opcode.take("satfinite"), rectifies = opcode.take("relu");
  if (name.empty() || !opcode.take("rn") || !opcode.modifiers.empty() ||
      opcode.types.size() != 1)
    return std::nullopt;
  NumberType type = opcode.types.front();
  Format format = *findFormat(name.drop_back(2));
  if (opcode.isResult(name))
    return saturates && PairSource{type}.isKnown()
               ? std::optional(intoPlaces(format, type, rectifies))
               : std::nullopt;
  bool isHalves = type.kind == NumberType::Kind::Float && type.width == 16 &&
                  type.lanes == 2;
  return isHalves && !saturates ? std::optional(fromPlaces(format, rectifies))
                                : std::nullopt;
}
