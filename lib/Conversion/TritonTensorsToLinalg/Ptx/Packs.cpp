//===- Packs.cpp - Assembly that packs two integers -----------------------===//
//
// PTX's `cvt.pack`: two integers, cut off at the ends of a type of fewer bits,
// side by side in a register.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

/// The first number is the upper one; above both are the low bits of the third
/// operand, where there is room.
Rule pack(NumberType to) {
  Rule rule;
  rule.results = {32};
  rule.operands.assign(to.width == 16 ? 2 : 3, Slot{32});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    SmallVector<Value> codes;
    for (Value number : {in[1], in[0]}) {
      Value code = clampTo(builder, loc, number, /*isSigned=*/true, to);
      codes.push_back(make<arith::AndIOp>(
          builder, loc, code,
          createBits(builder, loc, 32, (1 << to.width) - 1)));
    }
    if (to.width == 16)
      return SmallVector<Value>{joinPlaces(builder, loc, codes, 16)};
    Value above = make<arith::ShLIOp>(
        builder, loc, in[2], createBits(builder, loc, 32, 2 * to.width));
    Value upper = make<arith::ShLIOp>(builder, loc, codes[1],
                                      createBits(builder, loc, 32, to.width));
    Value both = make<arith::OrIOp>(builder, loc, codes[0], upper);
    return SmallVector<Value>{make<arith::OrIOp>(builder, loc, both, above)};
  };
  return rule;
}

} // namespace

std::optional<Rule> assembly::findPackRule(Opcode opcode) {
  using Kind = NumberType::Kind;
  if (opcode.base != "cvt" || !opcode.take("pack") || !opcode.take("sat"))
    return std::nullopt;
  // No instruction computes with integers of so few bits.
  StringRef narrow = opcode.takeOneOf({"u2", "s2", "u4", "s4"});
  if (!narrow.empty()) {
    unsigned width = narrow.back() - '0';
    opcode.types.insert(
        opcode.types.begin(),
        NumberType{narrow.front() == 's' ? Kind::Signed : Kind::Unsigned,
                   width});
  }
  if (!opcode.modifiers.empty() || opcode.types.size() < 2)
    return std::nullopt;
  NumberType to = opcode.types[0], from = opcode.types[1];
  bool isWide = to.width == 16;
  if ((to.kind != Kind::Signed && to.kind != Kind::Unsigned) || to.width > 16 ||
      to.lanes != 1 || !from.isSigned() || from.width != 32 ||
      opcode.types.size() != (isWide ? 2 : 3) ||
      (!isWide && opcode.types[2].width != 32))
    return std::nullopt;
  return pack(to);
}
