//===- WideVectors.cpp - Vectors that no registers hold -------------------===//

#include "WideVectors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;

/// A thread of a GPU has at most 255 registers.
static constexpr unsigned kRegisterBits = 255 * 32;

PreservedAnalyses
mlir::triton_shared::SplitWideVectors::run(Function &function,
                                           FunctionAnalysisManager &analyses) {
  bool hasWide = any_of(instructions(function), [](Instruction &instruction) {
    return instruction.getType()->getPrimitiveSizeInBits() > kRegisterBits;
  });
  if (!hasWide)
    return PreservedAnalyses::all();
  // A name for each scalar would take most of the time.
  LLVMContext &context = function.getContext();
  bool discards = context.shouldDiscardValueNames();
  context.setDiscardValueNames(true);
  PreservedAnalyses kept = ScalarizerPass().run(function, analyses);
  context.setDiscardValueNames(discards);
  return kept;
}
