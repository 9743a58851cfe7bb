//===- LastingDot.cpp - Products that go on meanwhile ---------------------===//

#include "LastingDot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton_shared;

cta::DotOp triton_shared::findLastingDot(scf::ForOp loop) {
  SmallVector<cta::DotOp> dots;
  loop.walk([&](cta::DotOp dot) { dots.push_back(dot); });
  if (dots.size() != 1 || dots.front()->getBlock() != loop.getBody())
    return nullptr;
  cta::DotOp dot = dots.front();
  // Partial sums are waited for and added at once.
  if (dot.getPartialDepth() || !dot.isReadFromShared(dot.getAMutable()) ||
      !dot.isReadFromShared(dot.getBMutable()))
    return nullptr;
  auto sum = dyn_cast<BlockArgument>(dot.getAccumulator());
  if (!sum || sum.getOwner() != loop.getBody() || !sum.hasOneUse() ||
      !dot->hasOneUse())
    return nullptr;
  OpOperand *yielded = loop.getTiedLoopYieldedValue(sum);
  return yielded && yielded->get() == dot.getResult() ? dot : nullptr;
}

Value triton_shared::letGoOn(OpBuilder &builder, cta::DotOp dot,
                             int64_t turns) {
  dot.setGoesOn(true);
  auto wait =
      cta::WaitDotOp::create(builder, dot.getLoc(), dot.getResult(), turns);
  dot.getResult().replaceAllUsesExcept(wait, wait);
  return wait;
}

scf::IfOp triton_shared::waitForLastTurn(scf::ForOp loop, cta::DotOp dot,
                                         Value isNotEmpty) {
  Location loc = loop.getLoc();
  unsigned number = cast<BlockArgument>(dot.getAccumulator()).getArgNumber() -
                    loop.getNumInductionVars();
  OpBuilder builder(loop);
  scf::IfOp guard = createTurnsBranch(builder, loop, isNotEmpty);
  loop->replaceAllUsesWith(guard.getResults());
  loop->moveBefore(guard.thenBlock(), guard.thenBlock()->end());
  builder.setInsertionPointAfter(loop);
  SmallVector<Value> results(loop.getResults());
  results[number] = cta::WaitDotOp::create(builder, loc, results[number],
                                           /*pending=*/0);
  scf::YieldOp::create(builder, loc, results);
  return guard;
}

scf::IfOp triton_shared::createTurnsBranch(OpBuilder &builder, scf::ForOp loop,
                                           Value isNotEmpty) {
  Location loc = loop.getLoc();
  auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(),
                                  isNotEmpty, /*withElseRegion=*/true);
  OpBuilder inside = branch.getElseBodyBuilder();
  scf::YieldOp::create(inside, loc, loop.getInitArgs());
  return branch;
}

Value triton_shared::createIsNotEmpty(OpBuilder &builder, scf::ForOp loop) {
  return arith::CmpIOp::create(builder, loop.getLoc(),
                               loop.getUnsignedCmp()
                                   ? arith::CmpIPredicate::ult
                                   : arith::CmpIPredicate::slt,
                               loop.getLowerBound(), loop.getUpperBound());
}
