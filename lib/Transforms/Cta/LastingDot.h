//===- LastingDot.h - Products that go on meanwhile -------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_LASTINGDOT_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_LASTINGDOT_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// The product of a loop that may go on while the next turn begins: the only
/// one, of operands in shared memory, whose result is but what the next turn
/// adds to. Null if there is none.
cta::DotOp findLastingDot(scf::ForOp loop);

/// Lets a product go on to where `builder` is, or until `turns` later ones have
/// begun. Gives its result as it is there.
Value letGoOn(OpBuilder &builder, cta::DotOp dot, int64_t turns);

/// Waits behind `loop`, for what goes on of its lasting product. A loop of no
/// turns, whose `isNotEmpty` is false, has none: what is in flight on one way
/// here and not on the other, ptxas would not let be in flight at all. Gives
/// the branch that now has the loop, with the same results.
scf::IfOp waitForLastTurn(scf::ForOp loop, cta::DotOp dot, Value isNotEmpty);

/// A branch with the results of `loop`, to be filled: without a turn, which
/// `isNotEmpty` denies, it gives what the loop begins with.
scf::IfOp createTurnsBranch(OpBuilder &builder, scf::ForOp loop,
                            Value isNotEmpty);

/// True if `loop` has a turn.
Value createIsNotEmpty(OpBuilder &builder, scf::ForOp loop);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_LASTINGDOT_H
