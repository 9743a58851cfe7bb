//===- Integers.cpp - Assembly that computes integers ---------------------===//
//
// PTX instructions whose operands and result are integers of one type, or two
// or four in a register.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

/// Computes one number from numbers of one type.
using Compute =
    std::function<Value(OpBuilder &, Location, ValueRange, NumberType)>;

template <typename OpTy>
Value plain(OpBuilder &builder, Location loc, ValueRange in, NumberType) {
  return OpTy::create(builder, loc, in[0], in[1]);
}

/// The op for signed numbers, and for all others.
template <typename SignedOp, typename OtherOp>
Value bySign(OpBuilder &builder, Location loc, ValueRange in, NumberType type) {
  return type.isSigned() ? plain<SignedOp>(builder, loc, in, type)
                         : plain<OtherOp>(builder, loc, in, type);
}

Value negate(OpBuilder &builder, Location loc, ValueRange in, NumberType type) {
  return arith::SubIOp::create(builder, loc,
                               createBits(builder, loc, type.width, 0), in[0]);
}

Value absolute(OpBuilder &builder, Location loc, ValueRange in, NumberType) {
  return math::AbsIOp::create(builder, loc, in[0]);
}

/// `|x - y| + z`.
Value sumOfDifference(OpBuilder &builder, Location loc, ValueRange in,
                      NumberType type) {
  Value high = bySign<arith::MaxSIOp, arith::MaxUIOp>(builder, loc, in, type);
  Value low = bySign<arith::MinSIOp, arith::MinUIOp>(builder, loc, in, type);
  Value size = arith::SubIOp::create(builder, loc, high, low);
  return arith::AddIOp::create(builder, loc, size, in[2]);
}

/// The sum, or what is nearest to it in the type: of twice the bits, which hold
/// it with a sign, it is cut off.
template <typename OpTy>
Value saturated(OpBuilder &builder, Location loc, ValueRange in,
                NumberType type) {
  auto widen = [&](Value value) {
    return resize(builder, loc, value, 2 * type.width, type.isSigned());
  };
  Value sum = OpTy::create(builder, loc, widen(in[0]), widen(in[1]));
  return resize(builder, loc,
                clampTo(builder, loc, sum, /*isSigned=*/true, type), type.width,
                type.isSigned());
}

/// The same, or 0 if it is negative.
Compute rectified(Compute compute) {
  return [=](OpBuilder &builder, Location loc, ValueRange in,
             NumberType type) -> Value {
    return arith::MaxSIOp::create(builder, loc, compute(builder, loc, in, type),
                                  createBits(builder, loc, type.width, 0));
  };
}

/// `compute` in each lane of `count` numbers.
Rule onLanes(NumberType type, unsigned count, Compute compute) {
  Rule rule;
  rule.results = {type.registerWidth()};
  rule.operands.assign(count, Slot{type.registerWidth()});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Type number = builder.getIntegerType(type.width);
    SmallVector<Value> lanes;
    for (unsigned lane = 0; lane < type.lanes; ++lane) {
      SmallVector<Value> numbers;
      for (Value bits : in)
        numbers.push_back(getLane(builder, loc, bits, lane, number));
      lanes.push_back(compute(builder, loc, numbers, type));
    }
    return SmallVector<Value>{joinLanes(builder, loc, lanes)};
  };
  return rule;
}

/// What is also there for several numbers in a register.
Compute findPacked(StringRef base) {
  return llvm::StringSwitch<Compute>(base)
      .Case("add", plain<arith::AddIOp>)
      .Case("sub", plain<arith::SubIOp>)
      .Case("min", bySign<arith::MinSIOp, arith::MinUIOp>)
      .Case("max", bySign<arith::MaxSIOp, arith::MaxUIOp>)
      .Case("neg", negate)
      .Default({});
}

Compute findSingle(StringRef base) {
  return llvm::StringSwitch<Compute>(base)
      .Case("div", bySign<arith::DivSIOp, arith::DivUIOp>)
      .Case("rem", bySign<arith::RemSIOp, arith::RemUIOp>)
      .Case("abs", absolute)
      .Case("sad", sumOfDifference)
      .Default({});
}

Compute findSaturated(StringRef base) {
  return llvm::StringSwitch<Compute>(base)
      .Case("add", saturated<arith::AddIOp>)
      .Case("sub", saturated<arith::SubIOp>)
      .Default({});
}

unsigned countOperands(StringRef base) {
  return llvm::StringSwitch<unsigned>(base)
      .Cases({"neg", "abs"}, 1)
      .Case("sad", 3)
      .Default(2);
}

} // namespace

std::optional<Rule> assembly::findIntegerRule(Opcode opcode) {
  if (opcode.types.size() != 1)
    return std::nullopt;
  NumberType type = opcode.types.front();
  bool isPacked = type.lanes > 1;
  if (type.isFloat() || type.kind == NumberType::Kind::Predicate ||
      type.width < (isPacked ? 8u : 16u))
    return std::nullopt;
  bool saturates = opcode.take("sat"), rectifies = opcode.take("relu");
  if (!opcode.modifiers.empty() || (saturates && type.width == 64))
    return std::nullopt;
  StringRef base = opcode.base;
  Compute compute = saturates ? findSaturated(base) : findPacked(base);
  if (!compute && !saturates && !isPacked)
    compute = findSingle(base);
  if (rectifies) {
    if (saturates || !type.isSigned() || (base != "min" && base != "max"))
      return std::nullopt;
    compute = rectified(compute);
  }
  if (!compute)
    return std::nullopt;
  return onLanes(type, countOperands(base), compute);
}
