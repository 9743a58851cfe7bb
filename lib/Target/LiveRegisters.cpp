//===- LiveRegisters.cpp - What registers still hold ----------------------===//

#include "LiveRegisters.h"

#include "triton-shared/Target/GpuTarget.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using mlir::triton_shared::GpuTarget;
using mlir::triton_shared::LiveRegisters;

unsigned mlir::triton_shared::getRegisterLimit(const Function &kernel) {
  unsigned threads = 1;
  for (StringRef part :
       split(kernel.getFnAttribute("nvvm.reqntid").getValueAsString(), ',')) {
    unsigned number = 0;
    if (to_integer(part, number))
      threads *= number;
  }
  unsigned limit = GpuTarget::getRegisterLimit(threads);
  return std::min<unsigned>(
      limit, kernel.getFnAttributeAsParsedInteger("nvvm.maxnreg", limit));
}

unsigned mlir::triton_shared::countRegisters(const llvm::Value &value) {
  llvm::Type *type = value.getType();
  auto *instruction = dyn_cast<Instruction>(&value);
  // Of results in a struct, each is counted where it is taken out.
  if (!instruction || !type->isSized() || type->isStructTy() ||
      type->isIntOrIntVectorTy(1))
    return 0;
  uint64_t bits = instruction->getDataLayout().getTypeSizeInBits(type);
  return divideCeil(bits, 32);
}

/// True if `value` is needed by another block, or at the end of its own.
static bool isNeededElsewhere(const Value &value, const BasicBlock &block) {
  return any_of(value.users(), [&](const User *user) {
    auto *instruction = cast<Instruction>(user);
    return instruction->getParent() != &block || isa<PHINode>(instruction) ||
           instruction->isTerminator();
  });
}

/// Calls `visit` with each instruction that `instruction` uses, once.
static void visitOperands(const Instruction &instruction,
                          function_ref<void(const Instruction &)> visit) {
  SmallPtrSet<const Value *, 8> seen;
  for (const Value *operand : instruction.operands())
    if (auto *used = dyn_cast<Instruction>(operand))
      if (seen.insert(used).second)
        visit(*used);
}

LiveRegisters::LiveRegisters(const BasicBlock &block) {
  SmallPtrSet<const Instruction *, 16> held;
  for (const Instruction &instruction : block) {
    bool isPhi = isa<PHINode>(instruction);
    if (isPhi)
      held.insert(&instruction);
    else
      visitOperands(instruction, [&](const Instruction &used) {
        if (used.getParent() != &block)
          held.insert(&used);
        else if (!instruction.isTerminator())
          ++usersLeft[&used];
      });
  }
  for (const Instruction *value : held)
    count += countRegisters(*value);
  for (const Instruction &instruction : block)
    if (isNeededElsewhere(instruction, block))
      usersLeft.erase(&instruction);
}

unsigned LiveRegisters::getFreed(const Instruction &instruction) const {
  unsigned freed = 0;
  visitOperands(instruction, [&](const Instruction &used) {
    auto left = usersLeft.find(&used);
    if (left != usersLeft.end() && left->second == 1)
      freed += countRegisters(used);
  });
  return freed;
}

int LiveRegisters::getChange(const Instruction &instruction) const {
  return int(countRegisters(instruction)) - int(getFreed(instruction));
}

void LiveRegisters::run(const Instruction &instruction) {
  count += getChange(instruction);
  visitOperands(instruction, [&](const Instruction &used) {
    auto left = usersLeft.find(&used);
    if (left != usersLeft.end())
      --left->second;
  });
}

SmallVector<Instruction *> mlir::triton_shared::listInOrder(BasicBlock &block) {
  SmallVector<Instruction *> all;
  for (Instruction &instruction : block)
    if (!isa<PHINode>(instruction) && !instruction.isTerminator())
      all.push_back(&instruction);
  return all;
}

unsigned mlir::triton_shared::findMostRegisters(const BasicBlock &block,
                                                ArrayRef<Instruction *> order) {
  LiveRegisters live(block);
  unsigned most = live.getCount();
  for (const Instruction *instruction : order) {
    live.run(*instruction);
    most = std::max(most, live.getCount());
  }
  return most;
}
