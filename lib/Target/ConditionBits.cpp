//===- ConditionBits.cpp - Conditions that are compared -------------------===//

#include "ConditionBits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// The condition that holds where `compare` does; null where that needs one.
static Value *findCondition(ICmpInst &compare) {
  Value *condition, *number;
  if (!compare.isEquality() ||
      !match(&compare, m_c_ICmp(m_ZExt(m_Value(condition)), m_Value(number))) ||
      !condition->getType()->isIntOrIntVectorTy(1))
    return nullptr;
  KnownBits known = computeKnownBits(number, compare.getDataLayout());
  if (known.getMaxValue().ugt(1))
    return nullptr;
  IRBuilder<> builder(&compare);
  Value *isOne = builder.CreateIsNotNull(number);
  if (compare.getPredicate() == ICmpInst::ICMP_EQ)
    isOne = builder.CreateNot(isOne);
  return builder.CreateXor(condition, isOne);
}

void mlir::triton_shared::compareAsConditions(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      if (auto *compare = dyn_cast<ICmpInst>(&instruction))
        if (llvm::Value *condition = findCondition(*compare)) {
          compare->replaceAllUsesWith(condition);
          compare->eraseFromParent();
        }
}
