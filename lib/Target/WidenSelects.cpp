//===- WidenSelects.cpp - Choices between halves of a register ------------===//

#include "WidenSelects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// True for numbers of 8 or 16 bits, and for vectors whose lanes choose one by
/// one: those are taken apart in any case.
static bool isNarrow(const SelectInst &select) {
  Type *type = select.getType();
  if (type->isVectorTy() && !select.getCondition()->getType()->isVectorTy())
    return false;
  unsigned bits = type->getScalarSizeInBits();
  return !isa<ScalableVectorType>(type) && (bits == 8 || bits == 16);
}

namespace {

/// Rewrites the selects of one function.
class SelectWidener {
public:
  explicit SelectWidener(Function &function)
      : function(function), builder(function.getContext()) {}

  void run() {
    SmallVector<SelectInst *> selects;
    for (Instruction &instruction : instructions(function))
      if (auto *select = dyn_cast<SelectInst>(&instruction))
        if (isNarrow(*select))
          selects.push_back(select);
    for (SelectInst *select : selects)
      visit(*select);
  }

private:
  void visit(SelectInst &select) {
    builder.SetInsertPoint(&select);
    Value *result;
    if (auto *type = dyn_cast<FixedVectorType>(select.getType())) {
      result = PoisonValue::get(type);
      for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
        auto at = [&](Value *vector) {
          return builder.CreateExtractElement(vector, lane);
        };
        Value *chosen =
            choose(at(select.getCondition()), at(select.getTrueValue()),
                   at(select.getFalseValue()));
        result = builder.CreateInsertElement(
            result, narrow(chosen, type->getElementType()), lane);
      }
    } else {
      Value *chosen = choose(select.getCondition(), select.getTrueValue(),
                             select.getFalseValue());
      result = narrow(chosen, select.getType());
      wide[result] = chosen;
    }
    result->takeName(&select);
    select.replaceAllUsesWith(result);
    select.eraseFromParent();
  }

  Value *choose(Value *condition, Value *yes, Value *no) {
    Value *wideYes = widen(yes), *wideNo = widen(no);
    return builder.CreateSelect(condition, wideYes, wideNo);
  }

  /// 32 bits, the upper ones zero. A chain of selects is widened once.
  Value *widen(Value *value) {
    if (auto known = wide.find(value); known != wide.end())
      return known->second;
    unsigned bits = value->getType()->getScalarSizeInBits();
    Value *integer = builder.CreateBitCast(value, builder.getIntNTy(bits));
    return builder.CreateZExt(integer, builder.getInt32Ty());
  }

  Value *narrow(Value *value, Type *type) {
    unsigned bits = type->getScalarSizeInBits();
    Value *integer = builder.CreateTrunc(value, builder.getIntNTy(bits));
    return builder.CreateBitCast(integer, type);
  }

  Function &function;
  IRBuilder<> builder;
  /// Results of visited selects before they were made narrow again.
  DenseMap<Value *, Value *> wide;
};

} // namespace

void mlir::triton_shared::widenSelects(Module &module) {
  for (Function &function : module)
    SelectWidener(function).run();
}
