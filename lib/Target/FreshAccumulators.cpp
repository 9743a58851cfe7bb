//===- FreshAccumulators.cpp - Zeros for products alone -------------------===//

#include "FreshAccumulators.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// The operands of an asynchronous product, or of the fence before it, that are
/// zero and become a part of its result.
static SmallVector<Use *> findZeros(CallInst &call) {
  SmallVector<Use *> zeros;
  auto *code = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!code || !code->getAsmString().contains("wgmma."))
    return zeros;
  unsigned operand = 0;
  for (const InlineAsm::ConstraintInfo &info : code->ParseConstraints()) {
    if (info.Type != InlineAsm::isInput)
      continue;
    Use &use = call.getArgOperandUse(operand++);
    auto *constant = dyn_cast<Constant>(use);
    bool isTied = !info.Codes.empty() && isDigit(info.Codes.front().front());
    if (isTied && constant && constant->isNullValue())
      zeros.push_back(&use);
  }
  return zeros;
}

/// Zeros that LLVM cannot tell from other numbers, in place of `zeros`, which
/// are of one type of 32 bits.
static void refresh(CallInst &call, ArrayRef<Use *> zeros) {
  IRBuilder<> builder(&call);
  Type *type = zeros.front()->get()->getType();
  SmallVector<Type *> types(zeros.size(), type);
  Type *result =
      types.size() == 1 ? type : StructType::get(call.getContext(), types);
  const char *constraint = type->isFloatTy() ? "=f" : "=r";
  std::string text, constraints;
  for (unsigned i = 0; i < zeros.size(); ++i) {
    text += ("mov.b32 $" + Twine(i) + ", 0;\n").str();
    constraints += (i ? "," : "") + std::string(constraint);
  }
  // Its results would be shared by all products if it had no side effects.
  InlineAsm *code = InlineAsm::get(FunctionType::get(result, false), text,
                                   constraints, /*hasSideEffects=*/true);
  Value *fresh = builder.CreateCall(code);
  for (auto [index, use] : enumerate(zeros))
    use->set(zeros.size() == 1 ? fresh
                               : builder.CreateExtractValue(fresh, index));
}

void mlir::triton_shared::refreshAccumulators(Module &module) {
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        calls.push_back(call);
  for (CallInst *call : calls)
    if (SmallVector<Use *> zeros = findZeros(*call); !zeros.empty())
      refresh(*call, zeros);
}
