//===- Places.cpp - Assembly that counts and finds bits -------------------===//
//
// PTX instructions that say how many bits of a number are set, or where.
//
//===----------------------------------------------------------------------===//

#include "../Libdevice/LibraryFunctions.h"
#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

using arith::CmpIPredicate;

/// `popc` and `clz` count in 32 bits.
template <typename OpTy> Rule count(unsigned width) {
  Rule rule;
  rule.results = {32};
  rule.operands = {Slot{width}};
  rule.build = [](OpBuilder &builder, Location loc, ValueRange in) {
    Value counted = OpTy::create(builder, loc, in[0]);
    return SmallVector<Value>{resize(builder, loc, counted, 32, false)};
  };
  return rule;
}

Value reverseBits(OpBuilder &builder, Location loc, Value bits) {
  return findIntegerFunction("brev")(builder, loc, bits, bits.getType());
}

Rule reverse(unsigned width) {
  Rule rule;
  rule.results = {width};
  rule.operands = {Slot{width}};
  rule.build = [](OpBuilder &builder, Location loc, ValueRange in) {
    return SmallVector<Value>{reverseBits(builder, loc, in[0])};
  };
  return rule;
}

/// `bfind`: the place of the highest bit that is set, or, of a negative number,
/// is not; or how far that is below the top. -1 if there is none.
Rule findHighest(NumberType type, bool fromTop) {
  Rule rule;
  rule.results = {32};
  rule.operands = {Slot{type.width}};
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value bits = in[0];
    if (type.isSigned()) {
      Value sign = make<arith::ShRSIOp>(
          builder, loc, bits,
          createBits(builder, loc, type.width, type.width - 1));
      bits = make<arith::XOrIOp>(builder, loc, bits, sign);
    }
    Value above = resize(builder, loc,
                         math::CountLeadingZerosOp::create(builder, loc, bits),
                         32, false);
    // Above no bit are as many as there are, one more than above the lowest.
    if (!fromTop)
      return SmallVector<Value>{make<arith::SubIOp>(
          builder, loc, createBits(builder, loc, 32, type.width - 1), above)};
    Value isNone =
        arith::CmpIOp::create(builder, loc, CmpIPredicate::eq, above,
                              createBits(builder, loc, 32, type.width));
    return SmallVector<Value>{arith::SelectOp::create(
        builder, loc, isNone, createBits(builder, loc, 32, -1), above)};
  };
  return rule;
}

/// The place of the bit of the i32 `bits` below which `rank` are set: of each
/// half, quarter, ..., the upper one if the lower one has not enough.
Value findByRank(OpBuilder &builder, Location loc, Value bits, Value rank) {
  Value zero = createBits(builder, loc, 32, 0);
  Value place = zero;
  for (unsigned width : {16, 8, 4, 2, 1}) {
    Value step = createBits(builder, loc, 32, width);
    Value low = make<arith::AndIOp>(
        builder, loc, bits, createBits(builder, loc, 32, (1u << width) - 1));
    Value below = math::CtPopOp::create(builder, loc, low);
    Value isUpper =
        arith::CmpIOp::create(builder, loc, CmpIPredicate::uge, rank, below);
    auto ifUpper = [&](Value value) -> Value {
      return arith::SelectOp::create(builder, loc, isUpper, value, zero);
    };
    rank = make<arith::SubIOp>(builder, loc, rank, ifUpper(below));
    place = make<arith::AddIOp>(builder, loc, place, ifUpper(step));
    bits = make<arith::ShRUIOp>(builder, loc, bits, ifUpper(step));
  }
  return place;
}

/// `fns`: the place of the n-th bit that is set, from `base` up, or down if n
/// is negative; of none, whether that at `base` is. -1 if there is none. Down
/// is up in the reversed number.
SmallVector<Value> findNthSet(OpBuilder &builder, Location loc, ValueRange in) {
  auto bits = [&](int64_t value) {
    return createBits(builder, loc, 32, value);
  };
  auto compare = [&](CmpIPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, x, y);
  };
  auto select = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(builder, loc, condition, x, y);
  };
  auto flip = [&](Value place) {
    return make<arith::SubIOp>(builder, loc, bits(31), place);
  };
  Value isDown = compare(CmpIPredicate::slt, in[2], bits(0));
  Value isHere = compare(CmpIPredicate::eq, in[2], bits(0));
  Value number = select(isDown, reverseBits(builder, loc, in[0]), in[0]);
  Value base = select(isDown, flip(in[1]), in[1]);
  Value within = make<arith::MinUIOp>(builder, loc, base, bits(31));
  Value from = make<arith::ShLIOp>(builder, loc,
                                   select(isHere, bits(1), bits(-1)), within);
  from = select(compare(CmpIPredicate::ugt, base, bits(31)), bits(0), from);
  Value kept = make<arith::AndIOp>(builder, loc, number, from);
  Value rank = make<arith::SubIOp>(
      builder, loc, math::AbsIOp::create(builder, loc, in[2]), bits(1));
  rank = select(isHere, bits(0), rank);
  Value place = findByRank(builder, loc, kept, rank);
  Value isThere = compare(CmpIPredicate::ult, rank,
                          math::CtPopOp::create(builder, loc, kept));
  return {select(isThere, select(isDown, flip(place), place), bits(-1))};
}

} // namespace

std::optional<Rule> assembly::findPlaceRule(Opcode opcode) {
  if (opcode.types.size() != 1 || opcode.types.front().isFloat() ||
      opcode.types.front().lanes != 1 || opcode.types.front().width < 32)
    return std::nullopt;
  NumberType type = opcode.types.front();
  bool fromTop = opcode.base == "bfind" && opcode.take("shiftamt");
  if (!opcode.modifiers.empty())
    return std::nullopt;
  if (opcode.base == "popc")
    return count<math::CtPopOp>(type.width);
  if (opcode.base == "clz")
    return count<math::CountLeadingZerosOp>(type.width);
  if (opcode.base == "brev")
    return reverse(type.width);
  if (opcode.base == "bfind")
    return findHighest(type, fromTop);
  if (opcode.base == "fns" && type.width == 32) {
    SmallVector<Slot, 4> slots(3, Slot{32});
    return Rule{{32}, slots, findNthSet};
  }
  return std::nullopt;
}
