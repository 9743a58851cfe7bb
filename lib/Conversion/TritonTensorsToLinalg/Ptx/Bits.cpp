//===- Bits.cpp - Assembly that computes bits ----------------------------===//
//
// PTX instructions on each bit of a register, and shifts.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

using arith::CmpIPredicate;

/// Computes bits from bits of one width.
using Compute = Value (*)(OpBuilder &, Location, ValueRange);

template <typename OpTy>
Value plain(OpBuilder &builder, Location loc, ValueRange in) {
  return OpTy::create(builder, loc, in[0], in[1]);
}

Value invert(OpBuilder &builder, Location loc, ValueRange in) {
  unsigned width = in[0].getType().getIntOrFloatBitWidth();
  return make<arith::XOrIOp>(builder, loc, in[0],
                             createBits(builder, loc, width, -1));
}

/// Whether the number is zero, as a number.
Value isZero(OpBuilder &builder, Location loc, ValueRange in) {
  unsigned width = in[0].getType().getIntOrFloatBitWidth();
  Value answer = arith::CmpIOp::create(builder, loc, CmpIPredicate::eq, in[0],
                                       createBits(builder, loc, width, 0));
  return resize(builder, loc, answer, width, /*isSigned=*/false);
}

Rule onBits(unsigned width, unsigned count, Compute compute) {
  Rule rule;
  rule.results = {width};
  rule.operands.assign(count, Slot{width});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    return SmallVector<Value>{compute(builder, loc, in)};
  };
  return rule;
}

/// A shift by the width or more leaves nothing but the sign, where there is
/// one: unlike arith's, it is not undefined.
Rule shift(StringRef base, NumberType type) {
  bool isLeft = base == "shl";
  Rule rule;
  rule.results = {type.width};
  rule.operands = {Slot{type.width}, Slot{32}};
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value last = createBits(builder, loc, 32, type.width - 1);
    Value within = make<arith::MinUIOp>(builder, loc, in[1], last);
    Value amount = resize(builder, loc, within, type.width, false);
    if (!isLeft && type.isSigned())
      return SmallVector<Value>{
          make<arith::ShRSIOp>(builder, loc, in[0], amount)};
    Value shifted = isLeft ? make<arith::ShLIOp>(builder, loc, in[0], amount)
                           : make<arith::ShRUIOp>(builder, loc, in[0], amount);
    Value isBeyond =
        arith::CmpIOp::create(builder, loc, CmpIPredicate::ugt, in[1], last);
    Value zero = createBits(builder, loc, type.width, 0);
    return SmallVector<Value>{
        arith::SelectOp::create(builder, loc, isBeyond, zero, shifted)};
  };
  return rule;
}

/// `shf`: the upper (left) or lower half of 64 shifted bits. The amount counts
/// modulo 32 or ends at 32.
std::optional<Rule> funnelShift(Opcode opcode) {
  StringRef side = opcode.takeOneOf({"l", "r"});
  StringRef mode = opcode.takeOneOf({"wrap", "clamp"});
  if (side.empty() || mode.empty() || !opcode.modifiers.empty())
    return std::nullopt;
  bool isLeft = side == "l", wraps = mode == "wrap";
  Rule rule;
  rule.results = {32};
  rule.operands = {Slot{32}, Slot{32}, Slot{32}};
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value amount = wraps
                       ? make<arith::AndIOp>(builder, loc, in[2],
                                             createBits(builder, loc, 32, 31))
                       : make<arith::MinUIOp>(builder, loc, in[2],
                                              createBits(builder, loc, 32, 32));
    Value low = resize(builder, loc, in[0], 64, false);
    Value high = make<arith::ShLIOp>(builder, loc,
                                     resize(builder, loc, in[1], 64, false),
                                     createBits(builder, loc, 64, 32));
    Value both = make<arith::OrIOp>(builder, loc, low, high);
    Value places = resize(builder, loc, amount, 64, false);
    if (isLeft)
      both = make<arith::ShRUIOp>(
          builder, loc, make<arith::ShLIOp>(builder, loc, both, places),
          createBits(builder, loc, 64, 32));
    else
      both = make<arith::ShRUIOp>(builder, loc, both, places);
    return SmallVector<Value>{resize(builder, loc, both, 32, false)};
  };
  return rule;
}

/// Any function of three bits: bit `abc` of the table is its value.
Value threeInputs(OpBuilder &builder, Location loc, ValueRange in) {
  Value one = createBits(builder, loc, 32, 1);
  Value zero = createBits(builder, loc, 32, 0);
  Value result = zero;
  for (unsigned entry = 0; entry < 8; ++entry) {
    Value bit = make<arith::AndIOp>(
        builder, loc,
        make<arith::ShRUIOp>(builder, loc, in[3],
                             createBits(builder, loc, 32, entry)),
        one);
    Value term = make<arith::SubIOp>(builder, loc, zero, bit);
    for (unsigned operand = 0; operand < 3; ++operand) {
      bool isSet = entry >> (2 - operand) & 1;
      Value value =
          isSet ? Value(in[operand]) : invert(builder, loc, in[operand]);
      term = make<arith::AndIOp>(builder, loc, term, value);
    }
    result = make<arith::OrIOp>(builder, loc, result, term);
  }
  return result;
}

/// `lop3.or` and `lop3.and` say besides whether a bit is set, or, and, another
/// predicate.
std::optional<Rule> lookUp(Opcode opcode) {
  if (opcode.modifiers.empty())
    return onBits(32, 4, threeInputs);
  StringRef combines = opcode.takeOneOf({"or", "and"});
  if (!opcode.modifiers.empty())
    return std::nullopt;
  bool isOr = combines == "or";
  Rule rule;
  rule.results = {32, 1};
  rule.operands.assign(4, Slot{32});
  rule.operands.push_back(Slot{1});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value bits = threeInputs(builder, loc, in);
    Value isAny = arith::CmpIOp::create(builder, loc, CmpIPredicate::ne, bits,
                                        createBits(builder, loc, 32, 0));
    Value both = isOr ? make<arith::OrIOp>(builder, loc, isAny, in[4])
                      : make<arith::AndIOp>(builder, loc, isAny, in[4]);
    return SmallVector<Value>{bits, both};
  };
  return rule;
}

std::optional<Rule> findLogic(StringRef base, NumberType type) {
  auto binary = llvm::StringSwitch<Compute>(base)
                    .Case("and", plain<arith::AndIOp>)
                    .Case("or", plain<arith::OrIOp>)
                    .Case("xor", plain<arith::XOrIOp>)
                    .Default(nullptr);
  if (binary)
    return onBits(type.width, 2, binary);
  if (base == "not")
    return onBits(type.width, 1, invert);
  if (base == "cnot" && type.width > 1)
    return onBits(type.width, 1, isZero);
  return std::nullopt;
}

} // namespace

std::optional<Rule> assembly::findBitsRule(Opcode opcode) {
  if (opcode.types.size() != 1 || opcode.types.front().isFloat() ||
      opcode.types.front().lanes != 1 || opcode.types.front().width == 8)
    return std::nullopt;
  NumberType type = opcode.types.front();
  if (opcode.base == "shf" && type.width == 32)
    return funnelShift(opcode);
  if (opcode.base == "lop3" && type.width == 32)
    return lookUp(opcode);
  if (!opcode.modifiers.empty())
    return std::nullopt;
  if ((opcode.base == "shl" || opcode.base == "shr") && type.width > 1)
    return shift(opcode.base, type);
  return findLogic(opcode.base, type);
}
