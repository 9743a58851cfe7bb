//===- Choices.cpp - Assembly that chooses a number -----------------------===//
//
// PTX's `selp` and `slct`: one of two numbers, by a predicate or a sign.
//
//===----------------------------------------------------------------------===//

#include "../MapElements.h"
#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

Rule choose(NumberType type, Slot by,
            std::function<Value(OpBuilder &, Location, Value)> isFirst) {
  Rule rule;
  rule.results = {type.width};
  rule.operands.assign(2, Slot{type.width, type.isFloat()});
  rule.operands.push_back(by);
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value chosen = arith::SelectOp::create(
        builder, loc, isFirst(builder, loc, in[2]), in[0], in[1]);
    return SmallVector<Value>{chosen};
  };
  return rule;
}

/// The first number where the third is 0 or more; NaN is not.
std::optional<Rule> chooseBySign(NumberType type, NumberType by, bool flushes) {
  if (by.width != 32 || by.lanes != 1)
    return std::nullopt;
  if (by.isSigned() && !flushes)
    return choose(type, Slot{32},
                  [](OpBuilder &builder, Location loc, Value bits) -> Value {
                    return arith::CmpIOp::create(
                        builder, loc, arith::CmpIPredicate::sge, bits,
                        createBits(builder, loc, 32, 0));
                  });
  if (by.kind != NumberType::Kind::Float)
    return std::nullopt;
  return choose(type, Slot{32, /*isFloat=*/true},
                [=](OpBuilder &builder, Location loc, Value bits) -> Value {
                  Type f32 = builder.getF32Type();
                  Value number = getLane(builder, loc, bits, 0, f32);
                  if (flushes)
                    number = flushSubnormal(builder, loc, number);
                  Value zero = createScalar(builder, loc, f32, 0);
                  return arith::CmpFOp::create(
                      builder, loc, arith::CmpFPredicate::OGE, number, zero);
                });
}

} // namespace

std::optional<Rule> assembly::findChoiceRule(Opcode opcode) {
  bool bySign = opcode.base == "slct";
  if (opcode.types.size() != (bySign ? 2 : 1) ||
      (!bySign && opcode.base != "selp"))
    return std::nullopt;
  NumberType type = opcode.types.front();
  bool flushes = bySign && opcode.take("ftz");
  if (!opcode.modifiers.empty() || type.lanes != 1 || type.width < 16)
    return std::nullopt;
  if (bySign)
    return chooseBySign(type, opcode.types.back(), flushes);
  return choose(type, Slot{1},
                [](OpBuilder &, Location, Value bits) { return bits; });
}
