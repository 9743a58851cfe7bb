//===- Fields.cpp - Assembly on fields of bits ---------------------------===//
//
// PTX instructions that take out, put in or make some bits of a number that lie
// side by side.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

using arith::CmpIPredicate;

/// `2^count - 1`, with all bits set from `width` on.
Value lowBits(OpBuilder &builder, Location loc, Value count, unsigned width) {
  Value last = createBits(builder, loc, width, width - 1);
  Value within = make<arith::MinUIOp>(builder, loc, count, last);
  Value power = make<arith::ShLIOp>(builder, loc,
                                    createBits(builder, loc, width, 1), within);
  Value mask = make<arith::SubIOp>(builder, loc, power,
                                   createBits(builder, loc, width, 1));
  Value isAll =
      arith::CmpIOp::create(builder, loc, CmpIPredicate::ugt, count, last);
  return arith::SelectOp::create(builder, loc, isAll,
                                 createBits(builder, loc, width, -1), mask);
}

/// The low 8 bits of an operand of 32, in `width` bits: a place or a length.
Value lowByte(OpBuilder &builder, Location loc, Value value, unsigned width) {
  Value byte = make<arith::AndIOp>(builder, loc, value,
                                   createBits(builder, loc, 32, 0xFF));
  return resize(builder, loc, byte, width, false);
}

/// `value >> amount`, with zeros (or the sign) from beyond the width.
Value shiftDown(OpBuilder &builder, Location loc, Value value, Value amount,
                NumberType type) {
  Value last = createBits(builder, loc, type.width, type.width - 1);
  Value within = make<arith::MinUIOp>(builder, loc, amount, last);
  if (type.isSigned())
    return make<arith::ShRSIOp>(builder, loc, value, within);
  Value isBeyond =
      arith::CmpIOp::create(builder, loc, CmpIPredicate::ugt, amount, last);
  return arith::SelectOp::create(
      builder, loc, isBeyond, createBits(builder, loc, type.width, 0),
      make<arith::ShRUIOp>(builder, loc, value, within));
}

/// `bfe`: the field of some length at some place. A signed field repeats its
/// top bit, which is that of the number where the field reaches beyond it.
Rule extractField(NumberType type) {
  Rule rule;
  rule.results = {type.width};
  rule.operands = {Slot{type.width}, Slot{32}, Slot{32}};
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    unsigned width = type.width;
    Value place = lowByte(builder, loc, in[1], width);
    Value length = lowByte(builder, loc, in[2], width);
    Value mask = lowBits(builder, loc, length, width);
    Value field = make<arith::AndIOp>(
        builder, loc, shiftDown(builder, loc, in[0], place, type), mask);
    if (!type.isSigned())
      return SmallVector<Value>{field};
    Value one = createBits(builder, loc, width, 1);
    Value zero = createBits(builder, loc, width, 0);
    Value top = make<arith::SubIOp>(
        builder, loc, make<arith::AddIOp>(builder, loc, place, length), one);
    Value sign = make<arith::AndIOp>(
        builder, loc, shiftDown(builder, loc, in[0], top, type), one);
    Value isEmpty =
        arith::CmpIOp::create(builder, loc, CmpIPredicate::eq, length, zero);
    sign = arith::SelectOp::create(builder, loc, isEmpty, zero, sign);
    Value above = make<arith::AndIOp>(
        builder, loc, make<arith::SubIOp>(builder, loc, zero, sign),
        make<arith::XOrIOp>(builder, loc, mask,
                            createBits(builder, loc, width, -1)));
    return SmallVector<Value>{make<arith::OrIOp>(builder, loc, field, above)};
  };
  return rule;
}

/// `bfi`: the low bits of one number in place of a field of another.
Rule insertField(NumberType type) {
  Rule rule;
  rule.results = {type.width};
  rule.operands = {Slot{type.width}, Slot{type.width}, Slot{32}, Slot{32}};
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    unsigned width = type.width;
    Value place = lowByte(builder, loc, in[2], width);
    Value length = lowByte(builder, loc, in[3], width);
    Value last = createBits(builder, loc, width, width - 1);
    Value within = make<arith::MinUIOp>(builder, loc, place, last);
    Value isBeyond =
        arith::CmpIOp::create(builder, loc, CmpIPredicate::ugt, place, last);
    Value mask = make<arith::ShLIOp>(
        builder, loc, lowBits(builder, loc, length, width), within);
    mask = arith::SelectOp::create(builder, loc, isBeyond,
                                   createBits(builder, loc, width, 0), mask);
    Value moved = make<arith::ShLIOp>(builder, loc, in[0], within);
    Value differ = make<arith::XOrIOp>(builder, loc, moved, in[1]);
    return SmallVector<Value>{make<arith::XOrIOp>(
        builder, loc, in[1], make<arith::AndIOp>(builder, loc, differ, mask))};
  };
  return rule;
}

/// `bmsk`: a field of ones. Where the place or the length counts modulo 32, so
/// does not their sum.
Rule makeMask(bool wraps) {
  Rule rule;
  rule.results = {32};
  rule.operands.assign(2, Slot{32});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value place = in[0], length = in[1];
    if (wraps) {
      Value most = createBits(builder, loc, 32, 31);
      place = make<arith::AndIOp>(builder, loc, place, most);
      length = make<arith::AndIOp>(builder, loc, length, most);
    }
    Value ones = lowBits(builder, loc, length, 32);
    Value below = lowBits(builder, loc, place, 32);
    Value within = make<arith::MinUIOp>(builder, loc, place,
                                        createBits(builder, loc, 32, 31));
    Value moved = make<arith::ShLIOp>(builder, loc, ones, within);
    Value above = make<arith::XOrIOp>(builder, loc, below,
                                      createBits(builder, loc, 32, -1));
    return SmallVector<Value>{make<arith::AndIOp>(builder, loc, moved, above)};
  };
  return rule;
}

/// `szext`: the low bits of a number, with the sign that the highest of them is
/// for signed ones. None of them are 0.
Rule extendField(NumberType type, bool wraps) {
  Rule rule;
  rule.results = {32};
  rule.operands.assign(2, Slot{32});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value last = createBits(builder, loc, 32, 31);
    Value length =
        wraps ? make<arith::AndIOp>(builder, loc, in[1], last) : Value(in[1]);
    Value mask = lowBits(builder, loc, length, 32);
    Value field = make<arith::AndIOp>(builder, loc, in[0], mask);
    if (!type.isSigned())
      return SmallVector<Value>{field};
    // The top bit of the field is that of the mask: of none, there is none.
    Value one = createBits(builder, loc, 32, 1);
    Value half = make<arith::ShRUIOp>(builder, loc, mask, one);
    Value top = make<arith::XOrIOp>(builder, loc, mask, half);
    Value flipped = make<arith::XOrIOp>(builder, loc, field, top);
    return SmallVector<Value>{make<arith::SubIOp>(builder, loc, flipped, top)};
  };
  return rule;
}

/// `bmsk` and `szext` say what a place or length of 32 or more is.
std::optional<Rule> findWithMode(Opcode opcode) {
  StringRef mode = opcode.takeOneOf({"clamp", "wrap"});
  NumberType type = opcode.types.front();
  if (mode.empty() || !opcode.modifiers.empty() || type.width != 32)
    return std::nullopt;
  bool wraps = mode == "wrap";
  return opcode.base == "bmsk" ? makeMask(wraps) : extendField(type, wraps);
}

} // namespace

std::optional<Rule> assembly::findFieldRule(Opcode opcode) {
  if (opcode.types.size() != 1 || opcode.types.front().isFloat() ||
      opcode.types.front().lanes != 1 || opcode.types.front().width < 32)
    return std::nullopt;
  if (opcode.base == "bmsk" || opcode.base == "szext")
    return findWithMode(opcode);
  if (opcode.base == "bfe" && opcode.modifiers.empty())
    return extractField(opcode.types.front());
  if (opcode.base == "bfi" && opcode.modifiers.empty())
    return insertField(opcode.types.front());
  return std::nullopt;
}
