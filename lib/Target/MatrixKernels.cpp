//===- MatrixKernels.cpp - Kernels that multiply matrices -----------------===//

#include "MatrixKernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

bool mlir::triton_shared::multipliesMatrices(const Function &kernel) {
  return any_of(instructions(kernel), [](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      return false;
    if (auto *code = dyn_cast<InlineAsm>(call->getCalledOperand()))
      return StringRef(code->getAsmString()).contains("mma");
    const Function *callee = call->getCalledFunction();
    return callee && callee->getName().starts_with("llvm.nvvm.mma.");
  });
}
