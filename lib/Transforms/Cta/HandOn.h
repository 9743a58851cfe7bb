//===- HandOn.h - Values from one loop of a program to the next -*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_HANDON_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_HANDON_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::triton_shared {

/// Takes some loops that stand somewhere in a block, one after the other, and
/// gives each the values that the one before it has left, in the order in which
/// the program comes to them: loops around iterate over the values, and
/// branches and loops give them out.
class HandOn {
public:
  /// Gives a loop its values, and says which it leaves. It may replace the
  /// loop, and put more behind it.
  using Rewrite =
      llvm::function_ref<SmallVector<Value>(scf::ForOp, ValueRange)>;

  HandOn(ArrayRef<scf::ForOp> loops, Rewrite rewrite);

  /// True if `op` and what stands around it, up to `block`, can hand values
  /// on: `scf.for`, `scf.if` and `scf.while`.
  static bool isPossible(Operation *op, Block *block);

  /// Begins with `values`; gives what the last loop has left.
  SmallVector<Value> run(Block &block, SmallVector<Value> values);

private:
  bool holdsLoop(Operation *op) const;
  SmallVector<Value> through(scf::ForOp loop, ValueRange values);
  SmallVector<Value> through(scf::IfOp branch, ValueRange values);
  SmallVector<Value> through(scf::WhileOp loop, ValueRange values);

  SmallVector<Operation *> loops;
  Rewrite rewrite;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_HANDON_H
