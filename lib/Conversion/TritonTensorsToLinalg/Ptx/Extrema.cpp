//===- Extrema.cpp - Assembly that takes the least or largest float -------===//
//
// PTX's `min` and `max` on floats: of two or three, with or without NaN, of the
// numbers or their sizes.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

struct Extremum {
  bool isMax, propagatesNan;
  bool ofSizes;   ///< The signs are nothing to it.
  bool xorsSigns; ///< The result is negative if one of two numbers is.

  Value ofTwo(OpBuilder &builder, Location loc, Value x, Value y) const {
    if (propagatesNan)
      return isMax ? make<arith::MaximumFOp>(builder, loc, x, y)
                   : make<arith::MinimumFOp>(builder, loc, x, y);
    return isMax ? make<arith::MaxNumFOp>(builder, loc, x, y)
                 : make<arith::MinNumFOp>(builder, loc, x, y);
  }

  Value build(OpBuilder &builder, Location loc, ValueRange in) const {
    auto prepare = [&](Value value) -> Value {
      return ofSizes ? math::AbsFOp::create(builder, loc, value) : value;
    };
    Value result = prepare(in.front());
    for (Value value : in.drop_front())
      result = ofTwo(builder, loc, result, prepare(value));
    if (!xorsSigns)
      return result;
    Value signs =
        make<arith::XOrIOp>(builder, loc, joinLanes(builder, loc, in[0]),
                            joinLanes(builder, loc, in[1]));
    return math::CopySignOp::create(
        builder, loc, result,
        getLane(builder, loc, signs, 0, result.getType()));
  }
};

} // namespace

std::optional<Rule> assembly::findExtremumRule(Opcode opcode) {
  bool isMax = opcode.base == "max";
  if ((!isMax && opcode.base != "min") || opcode.types.size() != 1 ||
      !opcode.types.front().isFloat())
    return std::nullopt;
  NumberType type = opcode.types.front();
  FloatLimits limits{/*flushes=*/opcode.take("ftz")};
  Extremum extremum{isMax, /*propagatesNan=*/opcode.take("NaN"),
                    /*ofSizes=*/opcode.take("abs"),
                    /*xorsSigns=*/opcode.take("xorsign")};
  bool isOfThree =
      opcode.sources == 3 && type.registerWidth() == 32 && type.lanes == 1;
  // The signs count for something unless three numbers have them.
  if (!opcode.modifiers.empty() ||
      (isOfThree ? extremum.xorsSigns : extremum.ofSizes != extremum.xorsSigns))
    return std::nullopt;
  return onFloatLanes(
      type, isOfThree ? 3 : 2,
      [=](OpBuilder &builder, Location loc, ValueRange in) {
        return extremum.build(builder, loc, in);
      },
      limits);
}
