//===- Permutations.cpp - Assembly that moves bytes -----------------------===//
//
// PTX's `prmt`: four of eight bytes.
//
//===----------------------------------------------------------------------===//

#include "../Libdevice/LibraryFunctions.h"
#include "InlineAssembly.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace {

/// The selectors that a mode has for the low two bits of the third register, 16
/// bits each, the first one lowest: each byte of the result has a digit.
std::optional<uint64_t> findSelectors(StringRef mode) {
  return llvm::StringSwitch<std::optional<uint64_t>>(mode)
      .Case("f4e", 0x6543'5432'4321'3210)
      .Case("b4e", 0x0123'7012'6701'5670)
      .Case("rc8", 0x3333'2222'1111'0000)
      .Case("ecl", 0x3333'3222'3211'3210)
      .Case("ecr", 0x3210'2210'1110'0000)
      .Case("rc16", 0x3232'1010'3232'1010)
      .Default(std::nullopt);
}

/// The selector of `selectors` that the low two bits of `number` ask for.
Value choose(OpBuilder &builder, Location loc, uint64_t selectors,
             Value number) {
  Value low = make<arith::AndIOp>(builder, loc, number,
                                  createBits(builder, loc, 32, 3));
  Value place =
      make<arith::ShLIOp>(builder, loc, resize(builder, loc, low, 64, false),
                          createBits(builder, loc, 64, 4));
  Value chosen = make<arith::ShRUIOp>(
      builder, loc, createBits(builder, loc, 64, selectors), place);
  return make<arith::AndIOp>(builder, loc,
                             resize(builder, loc, chosen, 32, false),
                             createBits(builder, loc, 32, 0xFFFF));
}

} // namespace

std::optional<Rule> assembly::findPermutationRule(Opcode opcode) {
  if (opcode.base != "prmt" || opcode.types.size() != 1 ||
      opcode.types.front().registerWidth() != 32)
    return std::nullopt;
  std::optional<uint64_t> selectors;
  if (!opcode.modifiers.empty()) {
    selectors = findSelectors(opcode.modifiers.front());
    if (!selectors || opcode.modifiers.size() != 1)
      return std::nullopt;
  }
  Rule rule;
  rule.results = {32};
  rule.operands.assign(3, Slot{32});
  rule.build = [=](OpBuilder &builder, Location loc, ValueRange in) {
    Value selector =
        selectors ? choose(builder, loc, *selectors, in[2]) : Value(in[2]);
    return SmallVector<Value>{permuteBytes(builder, loc, in[0], in[1], selector,
                                           /*repeatsSign=*/!selectors)};
  };
  return rule;
}
