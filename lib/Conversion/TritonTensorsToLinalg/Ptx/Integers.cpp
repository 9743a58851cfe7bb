//===- Integers.cpp - Assembly that computes integers ---------------------===//
//
// PTX instructions on integers, bits and predicates.
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

using arith::CmpIPredicate;

/// Computes one number from numbers of one type.
using Compute =
    std::function<Value(OpBuilder &, Location, ValueRange, NumberType)>;

Value constant(OpBuilder &builder, Location loc, unsigned width,
               int64_t value) {
  APInt bits(width, value, /*isSigned=*/true, /*implicitTrunc=*/true);
  return arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(builder.getIntegerType(width), bits));
}

template <typename OpTy>
Value apply(OpBuilder &builder, Location loc, Value x, Value y) {
  return OpTy::create(builder, loc, x, y);
}

/// The op for signed numbers, and for all others.
template <typename SignedOp, typename OtherOp>
Value bySign(OpBuilder &builder, Location loc, ValueRange in, NumberType type) {
  return type.isSigned() ? apply<SignedOp>(builder, loc, in[0], in[1])
                         : apply<OtherOp>(builder, loc, in[0], in[1]);
}

template <typename OpTy>
Value plain(OpBuilder &builder, Location loc, ValueRange in, NumberType) {
  return apply<OpTy>(builder, loc, in[0], in[1]);
}

/// The rule of `compute` on `count` numbers of `type`.
Rule onSameType(NumberType type, unsigned count, Compute compute) {
  Rule rule;
  rule.results = {type.width};
  rule.operands.assign(count, Slot{type.width});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    return SmallVector<Value>{compute(builder, loc, in, type)};
  };
  return rule;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value multiplyHigh(OpBuilder &builder, Location loc, ValueRange in,
                   NumberType type) {
  if (type.isSigned())
    return arith::MulSIExtendedOp::create(builder, loc, in[0], in[1]).getHigh();
  return arith::MulUIExtendedOp::create(builder, loc, in[0], in[1]).getHigh();
}

Value negate(OpBuilder &builder, Location loc, ValueRange in, NumberType type) {
  return apply<arith::SubIOp>(builder, loc,
                              constant(builder, loc, type.width, 0), in[0]);
}

Value absolute(OpBuilder &builder, Location loc, ValueRange in, NumberType) {
  return math::AbsIOp::create(builder, loc, in[0]);
}

/// `mul` and `mad`: the low half, the high half, or all of the product.
std::optional<Rule> multiply(Opcode opcode) {
  bool adds = opcode.base == "mad";
  StringRef part = opcode.takeOneOf({"lo", "hi", "wide"});
  NumberType type = opcode.types.front();
  if (part.empty() || !opcode.modifiers.empty() ||
      (part == "wide" && type.width > 32))
    return std::nullopt;
  unsigned width = part == "wide" ? 2 * type.width : type.width;
  Rule rule;
  rule.results = {width};
  rule.operands = {Slot{type.width}, Slot{type.width}};
  if (adds)
    rule.operands.push_back(Slot{width});
  bool isHigh = part == "hi";
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value x = resize(builder, loc, in[0], width, type.isSigned());
    Value y = resize(builder, loc, in[1], width, type.isSigned());
    Value product = isHigh ? multiplyHigh(builder, loc, in, type)
                           : apply<arith::MulIOp>(builder, loc, x, y);
    if (adds)
      product = apply<arith::AddIOp>(builder, loc, product, in[2]);
    return SmallVector<Value>{product};
  };
  return rule;
}

/// `|x - y| + z`.
Value sumOfDifference(OpBuilder &builder, Location loc, ValueRange in,
                      NumberType type) {
  Value high = bySign<arith::MaxSIOp, arith::MaxUIOp>(builder, loc, in, type);
  Value low = bySign<arith::MinSIOp, arith::MinUIOp>(builder, loc, in, type);
  return apply<arith::AddIOp>(
      builder, loc, apply<arith::SubIOp>(builder, loc, high, low), in[2]);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Value invert(OpBuilder &builder, Location loc, ValueRange in, NumberType type) {
  return apply<arith::XOrIOp>(builder, loc, in[0],
                              constant(builder, loc, type.width, -1));
}

/// Whether the number is zero, as a number.
Value isZero(OpBuilder &builder, Location loc, ValueRange in, NumberType type) {
  Value answer = arith::CmpIOp::create(builder, loc, CmpIPredicate::eq, in[0],
                                       constant(builder, loc, type.width, 0));
  return resize(builder, loc, answer, type.width, /*isSigned=*/false);
}

/// A shift by the width or more leaves nothing but the sign, where there is
/// one: unlike arith's, it is not undefined.
Rule shift(StringRef base, NumberType type) {
  bool isLeft = base == "shl";
  Rule rule;
  rule.results = {type.width};
  rule.operands = {Slot{type.width}, Slot{32}};
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value last = constant(builder, loc, 32, type.width - 1);
    Value within = apply<arith::MinUIOp>(builder, loc, in[1], last);
    Value amount = resize(builder, loc, within, type.width, false);
    if (!isLeft && type.isSigned())
      return SmallVector<Value>{
          apply<arith::ShRSIOp>(builder, loc, in[0], amount)};
    Value shifted = isLeft ? apply<arith::ShLIOp>(builder, loc, in[0], amount)
                           : apply<arith::ShRUIOp>(builder, loc, in[0], amount);
    Value isBeyond =
        arith::CmpIOp::create(builder, loc, CmpIPredicate::ugt, in[1], last);
    Value zero = constant(builder, loc, type.width, 0);
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
                       ? apply<arith::AndIOp>(builder, loc, in[2],
                                              constant(builder, loc, 32, 31))
                       : apply<arith::MinUIOp>(builder, loc, in[2],
                                               constant(builder, loc, 32, 32));
    Value low = resize(builder, loc, in[0], 64, false);
    Value high = apply<arith::ShLIOp>(builder, loc,
                                      resize(builder, loc, in[1], 64, false),
                                      constant(builder, loc, 64, 32));
    Value both = apply<arith::OrIOp>(builder, loc, low, high);
    Value places = resize(builder, loc, amount, 64, false);
    if (isLeft)
      both = apply<arith::ShRUIOp>(
          builder, loc, apply<arith::ShLIOp>(builder, loc, both, places),
          constant(builder, loc, 64, 32));
    else
      both = apply<arith::ShRUIOp>(builder, loc, both, places);
    return SmallVector<Value>{resize(builder, loc, both, 32, false)};
  };
  return rule;
}

/// Any function of three bits: bit `abc` of the table is its value.
Rule threeInputs() {
  Rule rule;
  rule.results = {32};
  rule.operands.assign(4, Slot{32});
  rule.build = [](OpBuilder &builder, Location loc, ValueRange in) {
    Value ones = constant(builder, loc, 32, -1);
    Value result = constant(builder, loc, 32, 0);
    for (unsigned entry = 0; entry < 8; ++entry) {
      Value bit = apply<arith::AndIOp>(
          builder, loc,
          apply<arith::ShRUIOp>(builder, loc, in[3],
                                constant(builder, loc, 32, entry)),
          constant(builder, loc, 32, 1));
      Value term = apply<arith::SubIOp>(builder, loc,
                                        constant(builder, loc, 32, 0), bit);
      for (unsigned operand = 0; operand < 3; ++operand) {
        bool isSet = entry >> (2 - operand) & 1;
        Value value =
            isSet ? Value(in[operand])
                  : apply<arith::XOrIOp>(builder, loc, in[operand], ones);
        term = apply<arith::AndIOp>(builder, loc, term, value);
      }
      result = apply<arith::OrIOp>(builder, loc, result, term);
    }
    return SmallVector<Value>{result};
  };
  return rule;
}

Rule permute() {
  Rule rule;
  rule.results = {32};
  rule.operands.assign(3, Slot{32});
  rule.build = [](OpBuilder &builder, Location loc, ValueRange in) {
    return SmallVector<Value>{permuteBytes(builder, loc, in[0], in[1], in[2],
                                           /*repeatsSign=*/true)};
  };
  return rule;
}

/// `2^count - 1`, with all bits set from `width` on.
Value lowBits(OpBuilder &builder, Location loc, Value count, unsigned width) {
  Value last = constant(builder, loc, width, width - 1);
  Value within = apply<arith::MinUIOp>(builder, loc, count, last);
  Value power = apply<arith::ShLIOp>(builder, loc,
                                     constant(builder, loc, width, 1), within);
  Value mask = apply<arith::SubIOp>(builder, loc, power,
                                    constant(builder, loc, width, 1));
  Value isAll =
      arith::CmpIOp::create(builder, loc, CmpIPredicate::ugt, count, last);
  return arith::SelectOp::create(builder, loc, isAll,
                                 constant(builder, loc, width, -1), mask);
}

/// The low 8 bits of an operand of 32, in `width` bits: a place or a length.
Value lowByte(OpBuilder &builder, Location loc, Value value, unsigned width) {
  Value byte = apply<arith::AndIOp>(builder, loc, value,
                                    constant(builder, loc, 32, 0xFF));
  return resize(builder, loc, byte, width, false);
}

/// `value >> amount`, with zeros (or the sign) from beyond the width.
Value shiftDown(OpBuilder &builder, Location loc, Value value, Value amount,
                NumberType type) {
  Value last = constant(builder, loc, type.width, type.width - 1);
  Value within = apply<arith::MinUIOp>(builder, loc, amount, last);
  if (type.isSigned())
    return apply<arith::ShRSIOp>(builder, loc, value, within);
  Value isBeyond =
      arith::CmpIOp::create(builder, loc, CmpIPredicate::ugt, amount, last);
  return arith::SelectOp::create(
      builder, loc, isBeyond, constant(builder, loc, type.width, 0),
      apply<arith::ShRUIOp>(builder, loc, value, within));
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
    Value field = apply<arith::AndIOp>(
        builder, loc, shiftDown(builder, loc, in[0], place, type), mask);
    if (!type.isSigned())
      return SmallVector<Value>{field};
    Value one = constant(builder, loc, width, 1);
    Value zero = constant(builder, loc, width, 0);
    Value top = apply<arith::SubIOp>(
        builder, loc, apply<arith::AddIOp>(builder, loc, place, length), one);
    Value sign = apply<arith::AndIOp>(
        builder, loc, shiftDown(builder, loc, in[0], top, type), one);
    Value isEmpty =
        arith::CmpIOp::create(builder, loc, CmpIPredicate::eq, length, zero);
    sign = arith::SelectOp::create(builder, loc, isEmpty, zero, sign);
    Value above = apply<arith::AndIOp>(
        builder, loc, apply<arith::SubIOp>(builder, loc, zero, sign),
        apply<arith::XOrIOp>(builder, loc, mask,
                             constant(builder, loc, width, -1)));
    return SmallVector<Value>{apply<arith::OrIOp>(builder, loc, field, above)};
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
    Value last = constant(builder, loc, width, width - 1);
    Value within = apply<arith::MinUIOp>(builder, loc, place, last);
    Value isBeyond =
        arith::CmpIOp::create(builder, loc, CmpIPredicate::ugt, place, last);
    Value mask = apply<arith::ShLIOp>(
        builder, loc, lowBits(builder, loc, length, width), within);
    mask = arith::SelectOp::create(builder, loc, isBeyond,
                                   constant(builder, loc, width, 0), mask);
    Value moved = apply<arith::ShLIOp>(builder, loc, in[0], within);
    Value differ = apply<arith::XOrIOp>(builder, loc, moved, in[1]);
    return SmallVector<Value>{apply<arith::XOrIOp>(
        builder, loc, in[1], apply<arith::AndIOp>(builder, loc, differ, mask))};
  };
  return rule;
}

/// `popc` and `clz` count in 32 bits.
template <typename OpTy> Rule count(NumberType type) {
  Rule rule;
  rule.results = {32};
  rule.operands = {Slot{type.width}};
  rule.build = [](OpBuilder &builder, Location loc, ValueRange in) {
    Value counted = OpTy::create(builder, loc, in[0]);
    return SmallVector<Value>{resize(builder, loc, counted, 32, false)};
  };
  return rule;
}

Value reverse(OpBuilder &builder, Location loc, ValueRange in, NumberType) {
  return findIntegerFunction("brev")(builder, loc, in, in[0].getType());
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

Rule choose(NumberType type) {
  Rule rule;
  rule.results = {type.width};
  rule.operands = {Slot{type.width, type.isFloat()},
                   Slot{type.width, type.isFloat()}, Slot{1}};
  rule.build = [](OpBuilder &builder, Location loc, ValueRange in) {
    Value chosen = arith::SelectOp::create(builder, loc, in[2], in[0], in[1]);
    return SmallVector<Value>{chosen};
  };
  return rule;
}

/// `setp` on integers.
std::optional<Rule> compare(Opcode opcode) {
  NumberType type = opcode.types.front();
  StringRef name = opcode.takeOneOf(
      {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"});
  if (name.empty() || !opcode.modifiers.empty() || type.isFloat() ||
      type.lanes != 1)
    return std::nullopt;
  bool isSigned = type.isSigned();
  auto pick = [&](CmpIPredicate ifSigned, CmpIPredicate otherwise) {
    return isSigned ? ifSigned : otherwise;
  };
  auto predicate = llvm::StringSwitch<CmpIPredicate>(name)
                       .Case("eq", CmpIPredicate::eq)
                       .Case("ne", CmpIPredicate::ne)
                       .Case("lt", pick(CmpIPredicate::slt, CmpIPredicate::ult))
                       .Case("le", pick(CmpIPredicate::sle, CmpIPredicate::ule))
                       .Case("gt", pick(CmpIPredicate::sgt, CmpIPredicate::ugt))
                       .Case("ge", pick(CmpIPredicate::sge, CmpIPredicate::uge))
                       .Case("lo", CmpIPredicate::ult)
                       .Case("ls", CmpIPredicate::ule)
                       .Case("hi", CmpIPredicate::ugt)
                       .Default(CmpIPredicate::uge);
  Rule rule;
  rule.results = {1};
  rule.operands.assign(2, Slot{type.width});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value answer = arith::CmpIOp::create(builder, loc, predicate, in[0], in[1]);
    return SmallVector<Value>{answer};
  };
  return rule;
}

} // namespace

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

/// Instructions whose operands and result are of one type.
static std::optional<Rule> findUniformRule(StringRef base, NumberType type) {
  auto binary = llvm::StringSwitch<Compute>(base)
                    .Case("add", plain<arith::AddIOp>)
                    .Case("sub", plain<arith::SubIOp>)
                    .Case("div", bySign<arith::DivSIOp, arith::DivUIOp>)
                    .Case("rem", bySign<arith::RemSIOp, arith::RemUIOp>)
                    .Case("min", bySign<arith::MinSIOp, arith::MinUIOp>)
                    .Case("max", bySign<arith::MaxSIOp, arith::MaxUIOp>)
                    .Case("and", plain<arith::AndIOp>)
                    .Case("or", plain<arith::OrIOp>)
                    .Case("xor", plain<arith::XOrIOp>)
                    .Default({});
  if (binary)
    return onSameType(type, 2, binary);
  auto unary = llvm::StringSwitch<Compute>(base)
                   .Case("neg", negate)
                   .Case("abs", absolute)
                   .Case("not", invert)
                   .Case("cnot", isZero)
                   .Case("brev", reverse)
                   .Default({});
  if (unary)
    return onSameType(type, 1, unary);
  if (base == "sad")
    return onSameType(type, 3, sumOfDifference);
  return std::nullopt;
}

std::optional<Rule> assembly::findIntegerRule(Opcode opcode) {
  if (opcode.types.size() != 1)
    return std::nullopt;
  NumberType type = opcode.types.front();
  if (opcode.base == "selp" && opcode.modifiers.empty() && type.width >= 16 &&
      type.lanes == 1)
    return choose(type);
  bool isPredicate = type.kind == NumberType::Kind::Predicate;
  if (type.isFloat() || type.lanes != 1 || type.width == 8 ||
      (isPredicate &&
       !llvm::is_contained({"and", "or", "xor", "not"}, opcode.base)))
    return std::nullopt;
  if (opcode.base == "mul" || opcode.base == "mad")
    return multiply(opcode);
  if (opcode.base == "shf")
    return funnelShift(opcode);
  if (opcode.base == "setp")
    return compare(opcode);
  if (!opcode.modifiers.empty())
    return std::nullopt;
  if (opcode.base == "shl" || opcode.base == "shr")
    return shift(opcode.base, type);
  if (opcode.base == "lop3" && type.width == 32)
    return threeInputs();
  if (opcode.base == "prmt" && type.width == 32)
    return permute();
  if (opcode.base == "bfe" && type.width >= 32)
    return extractField(type);
  if (opcode.base == "bfi" && type.width >= 32)
    return insertField(type);
  if (opcode.base == "popc")
    return count<math::CtPopOp>(type);
  if (opcode.base == "clz")
    return count<math::CountLeadingZerosOp>(type);
  return findUniformRule(opcode.base, type);
}
