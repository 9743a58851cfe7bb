//===- ShortLives.cpp - An order that registers suffice for ---------------===//

#include "ShortLives.h"

#include "BlockOrder.h"
#include "LiveRegisters.h"
#include "MatrixKernels.h"
#include "Optimise.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using mlir::triton_shared::findMostRegisters;
using mlir::triton_shared::findShortOrder;
using mlir::triton_shared::getRegisterLimit;
using mlir::triton_shared::listInOrder;
using mlir::triton_shared::multipliesMatrices;

/// An order is worth it that needs at most three quarters of the registers.
static constexpr unsigned kWorthIt = 3, kOf = 4;

/// With so many registers to a thread, an SM has half of the warps that it can
/// have: while some wait for memory or for each other, others go on.
static constexpr unsigned kOfHalfTheWarps = 64;

/// The registers that a block may need.
static unsigned getEnough(const Function &kernel) {
  return std::min(getRegisterLimit(kernel), kOfHalfTheWarps);
}

static bool isTooLong(BasicBlock &block, unsigned limit) {
  return findMostRegisters(block, listInOrder(block)) > limit;
}

/// Kernels with blocks that need more registers than there are.
static SmallVector<Function *> findLongLives(Module &module) {
  SmallVector<Function *> found;
  for (Function &function : module) {
    if (function.getCallingConv() != CallingConv::PTX_Kernel ||
        multipliesMatrices(function))
      continue;
    unsigned limit = getEnough(function);
    if (any_of(function,
               [&](BasicBlock &block) { return isTooLong(block, limit); }))
      found.push_back(&function);
  }
  return found;
}

/// Takes vectors apart. Shuffles of halves would keep elements together.
static void takeApart(ArrayRef<Function *> functions, TargetMachine &machine) {
  PassBuilder builder(&machine);
  mlir::triton_shared::Analyses analyses(builder);
  FunctionPassManager passes;
  passes.addPass(ScalarizerPass());
  passes.addPass(InstCombinePass());
  passes.addPass(EarlyCSEPass());
  for (Function *function : functions)
    passes.run(*function, analyses.functions);
}

/// True if another order of `block` is worth it.
static bool reorder(BasicBlock &block, unsigned limit) {
  SmallVector<Instruction *> before = listInOrder(block);
  unsigned most = findMostRegisters(block, before);
  if (most <= limit)
    return false;
  SmallVector<Instruction *> order = findShortOrder(block, limit / 2);
  if (findMostRegisters(block, order) * kOf > most * kWorthIt)
    return false;
  for (Instruction *instruction : order)
    instruction->moveBefore(block.getTerminator()->getIterator());
  return true;
}

/// True if a block of `kernel` has got another order.
static bool reorder(Function &kernel) {
  unsigned limit = getEnough(kernel), most = 0;
  bool isShorter = false;
  for (BasicBlock &block : kernel) {
    isShorter |= reorder(block, limit);
    most = std::max(most, findMostRegisters(block, listInOrder(block)));
  }
  // Told no limit, ptxas spills for more warps than half.
  if (isShorter && most * kOf <= limit * kWorthIt)
    kernel.addFnAttr("nvvm.maxnreg", utostr(limit));
  return isShorter;
}

std::unique_ptr<Module>
mlir::triton_shared::shortenLives(std::unique_ptr<Module> module,
                                  TargetMachine &machine) {
  SmallVector<Function *> kernels = findLongLives(*module);
  if (kernels.empty())
    return module;
  std::unique_ptr<Module> asItWas = CloneModule(*module);
  takeApart(kernels, machine);
  bool isShorter = false;
  for (Function *kernel : kernels)
    isShorter |= reorder(*kernel);
  return isShorter ? std::move(module) : std::move(asItWas);
}
