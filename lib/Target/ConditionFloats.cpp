//===- ConditionFloats.cpp - Conditions that become floats ----------------===//

#include "ConditionFloats.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool isMistaken(const SIToFPInst &conversion) {
  return conversion.getSrcTy()->isIntOrIntVectorTy(1) &&
         conversion.getType()->getScalarType()->isBFloatTy();
}

void mlir::triton_shared::chooseConditionFloats(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *conversion = dyn_cast<SIToFPInst>(&instruction);
      if (!conversion || !isMistaken(*conversion))
        continue;
      llvm::Type *type = conversion->getType();
      llvm::Value *choice = SelectInst::Create(
          conversion->getOperand(0), ConstantFP::get(type, -1.0),
          ConstantFP::get(type, 0.0), "", conversion->getIterator());
      conversion->replaceAllUsesWith(choice);
      conversion->eraseFromParent();
    }
}
