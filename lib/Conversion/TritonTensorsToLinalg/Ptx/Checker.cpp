//===- Checker.cpp - Which assembly has a meaning -------------------------===//
//
// Finds a rule for each instruction of a program and checks that its registers
// are as wide as the rule wants and have been written.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

using Kind = Operand::Kind;

namespace {

/// Checks a program, instruction by instruction.
class Checker {
public:
  Checker(const Program &program, unsigned resultCount, unsigned holders)
      : program(program), isWritten(program.widths.size(), false) {
    for (unsigned i = resultCount; i < holders; ++i)
      isWritten[i] = true;
    for (const auto &read : program.reads)
      isWritten[read.first] = true;
  }

  /// The rule of `instruction`, none for a move; false if it has no meaning.
  bool check(const Instruction &instruction, std::optional<Rule> &rule) {
    current = &instruction;
    if (instruction.guard &&
        !isReadable({Kind::Register, *instruction.guard}, 1))
      return false;
    Opcode opcode(instruction);
    if (std::optional<Effect> effect = findEffect(opcode))
      return effect != Effect::Barrier || checkBarrier();
    if (isMove(opcode))
      return checkMove(opcode);
    if (std::optional<NumberType> type = findAccess(opcode))
      return checkAccess(*type, opcode.base == "ld");
    rule = findRule(opcode);
    if (!rule)
      return refuse("is an instruction without a portable meaning");
    return checkOperands(*rule);
  }

  bool checkResults(ArrayRef<bool> isWanted) {
    for (auto [i, wanted] : llvm::enumerate(isWanted))
      if (wanted && !isWritten[i]) {
        refusal = {"$" + std::to_string(i), "is a result that nothing writes"};
        return false;
      }
    return true;
  }

  Refusal refusal;

private:
  /// `mov`; and `cvta`, because a generic address is a global one.
  static bool isMove(Opcode &opcode) {
    if (opcode.base != "cvta" || !opcode.take("global"))
      return opcode.base == "mov";
    opcode.take("to");
    return true;
  }

  /// The barrier of all threads is the one numbered 0.
  bool checkBarrier() {
    ArrayRef<Operand> operands = current->operands;
    bool isForAll = operands.size() == 1 && !current->guard &&
                    operands[0].kind == Operand::Kind::Integer &&
                    operands[0].number == 0;
    return isForAll || refuse("is a barrier of some threads of a program");
  }

  static std::optional<Rule> findRule(const Opcode &opcode) {
    // Numbers of 128 bits are only moved.
    if (llvm::any_of(opcode.types,
                     [](NumberType type) { return type.width > 64; }))
      return std::nullopt;
    for (auto find :
         {findIntegerRule, findProductRule, findCarryRule, findBitsRule,
          findPermutationRule, findFieldRule, findPlaceRule, findComparisonRule,
          findChoiceRule, findFloatRule, findExtremumRule, findConversionRule,
          findPackRule, findNarrowRule, findWideningRule, findExponentRule})
      if (std::optional<Rule> rule = find(opcode))
        return rule;
    return std::nullopt;
  }

  bool checkOperands(const Rule &rule) {
    ArrayRef<Operand> operands = current->operands;
    if (operands.size() != rule.operands.size() + 1)
      return refuse("has another number of operands");
    for (auto [operand, slot] :
         llvm::zip_equal(operands.drop_front(), rule.operands)) {
      if (slot.parts > 1 &&
          (operand.kind != Kind::Group || operand.parts.size() != slot.parts))
        return refuse("takes " + std::to_string(slot.parts) +
                      " numbers in braces");
      for (const Operand &part : slot.getParts(operand))
        if (!checkOperand(part, slot))
          return false;
    }
    const Operand &target = operands.front();
    if (rule.results.size() == 1 ||
        (rule.mayDropSecond && target.kind != Kind::Pair))
      return canWrite(target, rule.results.front(), rule.mayWiden);
    return target.kind == Kind::Pair
               ? canWrite(target.parts[0], rule.results[0]) &&
                     canWrite(target.parts[1], rule.results[1])
               : refuse("writes two registers");
  }

  bool checkOperand(const Operand &operand, const Slot &slot) {
    if (operand.isNegated && slot.width != 1)
      return refuse("negates what is no predicate");
    if (operand.kind == Kind::Integer)
      return !slot.isFloat || refuse("takes a float, not an integer");
    if (operand.kind == Kind::Float)
      return slot.isFloat || refuse("takes an integer, not a float");
    return isReadable(operand, slot.width, slot.mayBeWider);
  }

  /// `mov` copies a register, or takes one apart, or puts one together.
  bool checkMove(Opcode &opcode) {
    if (opcode.types.size() != 1 || !opcode.modifiers.empty() ||
        current->operands.size() != 2)
      return refuse("is an instruction without a portable meaning");
    unsigned width = opcode.types.front().registerWidth();
    bool isFloat = opcode.types.front().kind == NumberType::Kind::Float;
    const Operand &target = current->operands[0];
    const Operand &source = current->operands[1];
    if (source.kind == Kind::Group) {
      for (const Operand &part : source.parts)
        if (!isReadable(part, width / source.parts.size()))
          return false;
    } else if (source.kind == Kind::Float ? !isFloat
                                          : source.kind != Kind::Integer &&
                                                !isReadable(source, width)) {
      return refusal.reason.empty() ? refuse("takes an integer, not a float")
                                    : false;
    }
    if (target.kind != Kind::Group)
      return canWrite(target, width);
    for (const Operand &part : target.parts)
      if (!canWrite(part, width / target.parts.size()))
        return false;
    return true;
  }

  bool checkAccess(NumberType type, bool isLoad) {
    if (current->guard)
      return refuse("accesses memory under a condition");
    if (current->operands.size() != 2)
      return refuse("has another number of operands");
    const Operand &address = current->operands[isLoad ? 1 : 0];
    const Operand &value = current->operands[isLoad ? 0 : 1];
    if (address.kind != Kind::Memory)
      return refuse("has no address");
    if (!isReadable(address.parts.front(), 64))
      return false;
    if (isLoad)
      return canWrite(value, type.width, /*mayWiden=*/true);
    return value.kind == Kind::Integer ||
           isReadable(value, type.width, /*mayBeWider=*/true);
  }

  bool isReadable(const Operand &operand, unsigned width,
                  bool mayBeWider = false) {
    if (operand.kind != Kind::Register)
      return refuse("has an operand that is not a register");
    if (!isWritten[operand.number])
      return refuse("reads a register that nothing has written");
    unsigned held = program.widths[operand.number];
    return held == width || (mayBeWider && held > width) ||
           refuse("reads a register of another width");
  }

  bool canWrite(const Operand &operand, unsigned width, bool mayWiden = false) {
    if (operand.kind == Kind::Nothing)
      return true;
    if (operand.kind != Kind::Register)
      return refuse("does not write to a register");
    unsigned held = program.widths[operand.number];
    isWritten[operand.number] = true;
    return held == width || (mayWiden && held > width) ||
           refuse("writes a register of another width");
  }

  bool refuse(const Twine &reason) {
    refusal = {current->text, reason.str()};
    return false;
  }

  const Program &program;
  SmallVector<bool> isWritten;
  const Instruction *current = nullptr;
};

} // namespace

std::variant<SmallVector<std::optional<Rule>>, Refusal>
assembly::findRules(const Program &program, ArrayRef<bool> isWanted,
                    unsigned holders) {
  Checker checker(program, isWanted.size(), holders);
  SmallVector<std::optional<Rule>> rules(program.instructions.size());
  for (auto [instruction, rule] : llvm::zip_equal(program.instructions, rules))
    if (!checker.check(instruction, rule))
      return checker.refusal;
  if (!checker.checkResults(isWanted))
    return checker.refusal;
  return rules;
}
