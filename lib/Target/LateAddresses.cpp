//===- LateAddresses.cpp - Where to, when it is stored --------------------===//

#include "LateAddresses.h"

#include "LiveRegisters.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using mlir::triton_shared::listInOrder;

/// True for stores, and for those under a predicate, which are assembly.
static bool isStore(const Instruction &instruction) {
  if (isa<StoreInst>(instruction))
    return true;
  auto *call = dyn_cast<CallBase>(&instruction);
  auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return code && StringRef(code->getAsmString()).contains("st.global");
}

/// True for arithmetic that nothing but one other instruction of its block
/// waits for.
static bool canComeLater(const Instruction &instruction,
                         const BasicBlock &block) {
  return instruction.getParent() == &block && instruction.hasOneUse() &&
         (isa<GetElementPtrInst>(instruction) ||
          isa<BinaryOperator>(instruction) || isa<CastInst>(instruction));
}

/// Moves what only `value` needs, and `value` itself, to just before `place`.
static void delay(Value *value, Instruction &place) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !canComeLater(*instruction, *place.getParent()))
    return;
  instruction->moveBefore(place.getIterator());
  for (Value *operand : instruction->operands())
    delay(operand, *instruction);
}

static void delayAddresses(BasicBlock &block) {
  for (Instruction *instruction : listInOrder(block))
    if (isStore(*instruction))
      for (Value *operand : instruction->operands())
        if (operand->getType()->isPointerTy())
          delay(operand, *instruction);
}

void mlir::triton_shared::delayAddresses(Module &module) {
  for (Function &function : module) {
    if (function.getCallingConv() != CallingConv::PTX_Kernel)
      continue;
    unsigned limit = getRegisterLimit(function);
    for (BasicBlock &block : function)
      if (findMostRegisters(block, listInOrder(block)) > limit)
        ::delayAddresses(block);
  }
}
