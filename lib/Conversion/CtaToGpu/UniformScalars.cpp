//===- UniformScalars.cpp - What all threads of a warp have alike ---------===//
//
// A scalar of a program is the same in all of its threads, but ptxas does not
// know it of what each has loaded or divided for itself: a loop to such a
// bound then keeps its counters, and what copies and products are told, in
// registers of each thread, and takes them to uniform ones in each turn. What
// the first lane gives to all, ptxas knows to be one number.
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// Says whether `kernel` has instructions whose operands are uniform registers.
static bool takesUniform(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto dot = dyn_cast<cta::DotOp>(op);
        return isa<cta::CopyBoxOp>(op) || (dot && dot.getWgmma())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Says whether whole warps run `op`: regions that combine elements are of one
/// thread.
static bool isOfWarps(Operation *op) {
  do
    op = op->getParentOp();
  while (isa<scf::ForOp, scf::WhileOp, scf::IfOp, cta::SpecializeOp>(op));
  return isa<gpu::GPUFuncOp>(op);
}

/// Says whether each thread makes the result for itself, in a way that hides
/// from ptxas that it is the same in all.
static bool isMadeByEach(Operation *op) {
  if (auto access = dyn_cast<tts::AccessOpInterface>(op))
    return !access.getTileType();
  bool isDivision =
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
  return isa<cta::ExtractOp>(op) ||
         (isDivision && !matchPattern(op->getOperand(1), m_Constant()));
}

/// What takes `value` first, of the operations beside the one that makes it. To
/// give a number to all threads takes that it is there: of several loads in a
/// row, each would wait for the one before it.
static Operation *findFirstUser(Value value) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *beside = value.getParentBlock()->findAncestorOpInBlock(*user);
    if (!first || beside->isBeforeInBlock(first))
      first = beside;
  }
  return first;
}

void triton_shared::shareUniformScalars(ModuleOp module) {
  module.walk([](gpu::GPUFuncOp kernel) {
    if (!takesUniform(kernel))
      return;
    SmallVector<Value> scalars;
    kernel.walk([&](Operation *op) {
      if (op->getNumResults() != 1 || !isMadeByEach(op) || !isOfWarps(op))
        return;
      Value result = op->getResult(0);
      if (result.getType().isInteger(32) && !result.use_empty())
        scalars.push_back(result);
    });
    for (Value scalar : scalars) {
      OpBuilder builder(findFirstUser(scalar));
      Location loc = scalar.getLoc();
      Value shared = createShuffle(builder, loc, scalar, NVVM::ShflKind::idx,
                                   createI32(builder, loc, 0));
      scalar.replaceAllUsesExcept(shared, shared.getDefiningOp());
    }
  });
}
