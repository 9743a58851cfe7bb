//===- Branches.h - Parts of a program that exclude each other --*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_BRANCHES_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_BRANCHES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::triton_shared {

/// The outermost branch within `around` that `op` stands in, if no loop is
/// around that: it runs once at most. Null if there is none.
Region *findOutermostBranch(Operation *op, Operation *around);

/// True if a run of `around` comes to `a` or to `b`, or to neither.
bool areApart(Operation *a, Operation *b, Operation *around);

/// Makes two forms of `loop`: where `condition` is true, a copy of it, which
/// `copies` has, and otherwise the loop itself.
scf::IfOp createTwoForms(scf::ForOp loop, Value condition, IRMapping &copies);

/// Runs `part`, a block of `branch`, whatever its condition is.
void takePart(scf::IfOp branch, Block &part);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_BRANCHES_H
