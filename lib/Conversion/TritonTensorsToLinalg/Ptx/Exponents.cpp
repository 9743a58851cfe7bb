//===- Exponents.cpp - Assembly that converts to exponents ----------------===//
//
// PTX's `cvt` to and from ue8m0, two at a time: e stands for 2^(e - 127), and
// 255 for NaN.
//
//===----------------------------------------------------------------------===//

#include "../MapElements.h"
#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

/// The e of the power of two 2^(e - 127) beside the size of the f32 `value`,
/// below or above, in an i32. 255 is NaN, and what is beyond 2^127 unless that
/// `saturates`.
Value encodeExponent(OpBuilder &builder, Location loc, Value value,
                     bool roundsUp, bool saturates) {
  auto integer = [&](int64_t number) {
    return createScalar(builder, loc, builder.getI32Type(), number);
  };
  using arith::CmpIPredicate;
  auto compare = [&](CmpIPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, x, y);
  };
  Value bits =
      arith::BitcastOp::create(builder, loc, builder.getI32Type(),
                               math::AbsFOp::create(builder, loc, value));
  Value code = arith::ShRUIOp::create(builder, loc, bits, integer(23));
  if (roundsUp) {
    // 2^-127 is subnormal: what is larger goes up, what is smaller cannot.
    Value rest = arith::AndIOp::create(builder, loc, bits, integer(0x7FFFFF));
    Value isBetween = arith::AndIOp::create(
        builder, loc, compare(CmpIPredicate::ne, rest, integer(0)),
        compare(CmpIPredicate::ugt, bits, integer(0x400000)));
    Value step =
        arith::ExtUIOp::create(builder, loc, builder.getI32Type(), isBetween);
    code = arith::AddIOp::create(builder, loc, code, step);
  }
  Value most = integer(255);
  if (saturates)
    most = arith::SelectOp::create(
        builder, loc, compare(CmpIPredicate::ugt, bits, integer(0x7F800000)),
        most, integer(254));
  return arith::MinUIOp::create(builder, loc, code, most);
}

Rule intoExponents(NumberType from, bool roundsUp, bool saturates) {
  PairSource source{from};
  Rule rule;
  rule.results = {16};
  rule.operands = source.getSlots();
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    SmallVector<Value> lanes;
    for (unsigned lane : {0, 1}) {
      Value value = source.getNumber(builder, loc, in, lane);
      lanes.push_back(encodeExponent(builder, loc, widen(builder, loc, value),
                                     roundsUp, saturates));
    }
    return SmallVector<Value>{joinPlaces(builder, loc, lanes, 8)};
  };
  return rule;
}

/// Two exponents into the halves of a register, as bf16: their bits are its
/// exponent, but 0 is a subnormal number and 255 NaN.
Rule fromExponents() {
  Rule rule;
  rule.results = {32};
  rule.operands = {Slot{16}};
  rule.build = [](OpBuilder &builder, Location loc, ValueRange in) {
    auto integer = [&](int64_t number) {
      return createScalar(builder, loc, builder.getI32Type(), number);
    };
    SmallVector<Value> lanes;
    for (unsigned lane : {0, 1}) {
      Value code = arith::AndIOp::create(
          builder, loc, getBitsFrom(builder, loc, in[0], lane * 8),
          integer(255));
      auto replace = [&](Value bits, int64_t from, int64_t to) -> Value {
        Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         code, integer(from));
        return arith::SelectOp::create(builder, loc, is, integer(to), bits);
      };
      Value bits = arith::ShLIOp::create(builder, loc, code, integer(7));
      lanes.push_back(replace(replace(bits, 0, 0x40), 255, 0x7FFF));
    }
    return SmallVector<Value>{joinPlaces(builder, loc, lanes, 16)};
  };
  return rule;
}

} // namespace

std::optional<Rule> assembly::findExponentRule(Opcode opcode) {
  if (opcode.base != "cvt" || !opcode.take("ue8m0x2"))
    return std::nullopt;
  bool saturates = opcode.take("satfinite");
  StringRef mode = opcode.takeOneOf({"rn", "rz", "rp"});
  if (mode.empty() || !opcode.modifiers.empty() || opcode.types.size() != 1)
    return std::nullopt;
  NumberType type = opcode.types.front();
  PairSource source{type};
  bool isHalf = source.isRegister() && type.kind != NumberType::Kind::BFloat;
  if (!source.isKnown() || isHalf)
    return std::nullopt;
  if (mode != "rn")
    return intoExponents(type, mode == "rp", saturates);
  return source.isRegister() && !saturates ? std::optional(fromExponents())
                                           : std::nullopt;
}
