//===- Carry.cpp - Assembly that adds in several steps --------------------===//
//
// PTX's sums and differences with a carry, for numbers that lie in several
// registers. The carry is an operand and a result of one bit.
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

struct Carried {
  Value number, carry;
};

/// `x + y`; it is below `x` if it went beyond the width.
Carried add(OpBuilder &builder, Location loc, Value x, Value y) {
  Value sum = arith::AddIOp::create(builder, loc, x, y);
  return {sum, arith::CmpIOp::create(builder, loc, CmpIPredicate::ult, sum, x)};
}

/// `x - y`, whose carry is what it borrows.
Carried subtract(OpBuilder &builder, Location loc, Value x, Value y) {
  return {arith::SubIOp::create(builder, loc, x, y),
          arith::CmpIOp::create(builder, loc, CmpIPredicate::ult, x, y)};
}

/// Two steps: the second takes the carry that came in. One of them at most has
/// one of its own.
Rule step(unsigned width, std::optional<Rule> product, bool subtracts,
          bool reads, bool writes) {
  Rule rule;
  rule.results = {width};
  if (writes)
    rule.results.push_back(1);
  rule.operands.assign(product ? 3 : 2, Slot{width});
  if (reads)
    rule.operands.push_back(Slot{1});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    SmallVector<Value> terms(in.take_front(reads ? in.size() - 1 : in.size()));
    if (product) {
      terms[0] = product->build(builder, loc, {terms[0], terms[1]}).front();
      terms.erase(terms.begin() + 1);
    }
    auto apply = subtracts ? subtract : add;
    Carried made = apply(builder, loc, terms[0], terms[1]);
    if (reads) {
      Value one = resize(builder, loc, in.back(), width, /*isSigned=*/false);
      Carried next = apply(builder, loc, made.number, one);
      made = {next.number,
              arith::OrIOp::create(builder, loc, made.carry, next.carry)};
    }
    return writes ? SmallVector<Value>{made.number, made.carry}
                  : SmallVector<Value>{made.number};
  };
  return rule;
}

} // namespace

std::optional<Rule> assembly::findCarryRule(Opcode opcode) {
  bool writes = opcode.take("cc");
  bool reads = opcode.base.consume_back("c");
  if ((!reads && !writes) || opcode.types.size() != 1 ||
      !llvm::is_contained({"add", "sub", "mad"}, opcode.base))
    return std::nullopt;
  NumberType type = opcode.types.front();
  if (type.isFloat() || type.lanes != 1 || type.width < 32)
    return std::nullopt;
  std::optional<Rule> product;
  if (opcode.base == "mad") {
    opcode.base = "mul";
    if (opcode.modifiers.size() != 1 || opcode.modifiers.front() == "wide")
      return std::nullopt;
    product = findProductRule(opcode);
  }
  if (!product && (opcode.base == "mul" || !opcode.modifiers.empty()))
    return std::nullopt;
  return step(type.width, product, opcode.base == "sub", reads, writes);
}
