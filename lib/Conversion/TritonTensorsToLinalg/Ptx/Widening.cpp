//===- Widening.cpp - Assembly that widens numbers of few bits ------------===//
//
// PTX's `cvt` to two bf16 from two numbers of 4, 6 or 8 bits, times two powers
// of two. f16 holds every such float, and f32 each of them times a power.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

/// `s2f6`: the signed byte counts 64ths.
Value readFixedPoint(OpBuilder &builder, Location loc, Value bits,
                     unsigned lane) {
  Value count = getLane(builder, loc, bits, lane, builder.getI8Type());
  FloatType f32 = builder.getF32Type();
  Value unit = arith::ConstantOp::create(builder, loc,
                                         builder.getFloatAttr(f32, 1.0 / 64));
  return make<arith::MulFOp>(
      builder, loc, arith::SIToFPOp::create(builder, loc, f32, count), unit);
}

struct Widening {
  std::optional<Rule> toHalves; ///< To f16x2; without it, from `s2f6x2`.
  std::optional<Rule> toScales; ///< To bf16x2, of the second operand.
  bool rectifies, saturates;

  /// One number of two registers of them, the second one being the factors.
  Value widenLane(OpBuilder &builder, Location loc, Value numbers, Value scales,
                  unsigned lane) const {
    auto read = [&](Value pair, Type type) {
      return widen(builder, loc, getLane(builder, loc, pair, lane, type));
    };
    Value value = toHalves ? read(numbers, builder.getF16Type())
                           : readFixedPoint(builder, loc, numbers, lane);
    if (toScales)
      value = make<arith::MulFOp>(builder, loc, value,
                                  read(scales, builder.getBF16Type()));
    if (rectifies)
      value = rectify(builder, loc, value);
    if (saturates)
      value = saturateTo(builder, loc, value, APFloat::BFloat());
    return arith::TruncFOp::create(builder, loc, builder.getBF16Type(), value);
  }
};

Rule widenPair(unsigned width, Widening widening) {
  Rule rule;
  rule.results = {32};
  rule.operands = {Slot{width}};
  if (widening.toScales)
    rule.operands.push_back(Slot{16});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    auto apply = [&](const std::optional<Rule> &to, Value bits) {
      return to ? to->build(builder, loc, bits).front() : bits;
    };
    Value numbers = apply(widening.toHalves, in.front());
    Value scales = apply(widening.toScales, in.back());
    SmallVector<Value> lanes;
    for (unsigned lane : {0, 1})
      lanes.push_back(widening.widenLane(builder, loc, numbers, scales, lane));
    return SmallVector<Value>{joinLanes(builder, loc, lanes)};
  };
  return rule;
}

} // namespace

std::optional<Rule> assembly::findWideningRule(Opcode opcode) {
  if (opcode.base != "cvt" || !opcode.take("rn"))
    return std::nullopt;
  Widening widening;
  widening.rectifies = opcode.take("relu");
  widening.saturates = opcode.take("satfinite");
  if (opcode.take("scaled::n2::ue8m0"))
    widening.toScales = findExponentRule(Opcode("cvt.rn.bf16x2.ue8m0x2"));
  if (opcode.modifiers.size() != 1 || opcode.types.size() != 1 ||
      opcode.types.front().kind != NumberType::Kind::BFloat ||
      opcode.types.front().lanes != 2)
    return std::nullopt;
  StringRef name = opcode.modifiers.front();
  if (opcode.isResult(name))
    return std::nullopt;
  if (name == "s2f6x2")
    return widenPair(16, widening);
  std::string text = ("cvt.rn.f16x2." + name).str();
  widening.toHalves = findNarrowRule(Opcode(text));
  if (!widening.toHalves)
    return std::nullopt;
  return widenPair(widening.toHalves->operands.front().width, widening);
}
