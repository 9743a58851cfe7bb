//===- WaitingLoops.cpp - Loops that wait for another program -------------===//
//
// A `while` loop that reads memory atomically, or as volatile, may wait for
// what another program writes there. On each round it calls the runtime, which
// lets other threads run, ends the program if the launch has failed, and knows
// by the call that the programs of this kernel have to run side by side.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// True for accesses that see what other programs write meanwhile. One that
/// waits is a loop of its own.
static bool seesOtherPrograms(tts::AccessOpInterface access) {
  return access.isVolatile() || (access.isAtomic() && !access.waits());
}

void triton_shared::callRuntimeWhileWaiting(OpBuilder &builder, Operation *user,
                                            Region &round) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&round.front());
  func::FuncOp yield =
      declareRuntimeFunction(builder, user, "tritonSharedYield", {}, {});
  func::CallOp::create(builder, user->getLoc(), yield);
}

void triton_shared::markWaitingLoops(Operation *root) {
  SmallVector<scf::WhileOp> loops;
  root->walk([&](scf::WhileOp loop) {
    WalkResult walk = loop->walk([](tts::AccessOpInterface access) {
      return seesOtherPrograms(access) ? WalkResult::interrupt()
                                       : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      loops.push_back(loop);
  });
  OpBuilder builder(root->getContext());
  for (scf::WhileOp loop : loops)
    callRuntimeWhileWaiting(builder, loop, loop.getAfter());
}
