//===- ProgramSlice.h - The scalars that some operations need ---*- C++ -*-===//
//
// Part of a function that runs apart from the rest: some operations, the
// scalars that they are computed from, and the loops and branches around all of
// these.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_PROGRAMSLICE_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_PROGRAMSLICE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::triton_shared {

class ProgramSlice {
public:
  /// A slice of what stands in `body`, the block of a function. What `outside`
  /// makes is there already.
  explicit ProgramSlice(Block &body, ArrayRef<Operation *> outside = {})
      : function(body.getParentOp()), outside(outside.begin(), outside.end()) {}

  /// Takes in `op` for its effects, with all that it and its operands need.
  /// False if that is more than scalars: something of memory or of tiles, or a
  /// loop that is none of `scf.for` and `scf.while`.
  bool add(Operation *op);
  /// The same for what computes `values`, and for what `op` stands in.
  bool addValues(ValueRange values);
  bool addAround(Operation *op);

  /// Copies the slice of `block`, which holds what `body` did, to where
  /// `builder` is.
  void clone(Block &block, OpBuilder &builder) const;

private:
  using Carried = std::pair<Operation *, unsigned>;

  bool addOperation(Operation *op);
  bool addCarried(Operation *op, unsigned number);
  bool visit(Value value);
  bool finish();
  void addWhole(scf::WhileOp loop);

  void clone(Block &block, OpBuilder &builder, IRMapping &mapping) const;
  void clone(scf::ForOp loop, OpBuilder &builder, IRMapping &mapping) const;
  void clone(scf::IfOp branch, OpBuilder &builder, IRMapping &mapping) const;
  void clone(scf::WhileOp loop, OpBuilder &builder, IRMapping &mapping) const;
  SmallVector<unsigned> getCarried(Operation *op) const;

  Operation *function;
  llvm::DenseSet<Operation *> outside;
  llvm::DenseSet<Operation *> operations;
  /// Results of branches, and of loops with what they iterate over.
  llvm::DenseSet<Carried> carried;
  SmallVector<Value> waiting;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_PROGRAMSLICE_H
