//===- LoopSlice.h - What a value of a loop is computed from ----*- C++ -*-===//
//
// To load ahead of a loop, the address has to be computed ahead: from the
// induction variable and from those iterated values that arithmetic alone
// carries from turn to turn.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_LOOPSLICE_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_LOOPSLICE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton_shared {

class LoopSlice {
public:
  explicit LoopSlice(scf::ForOp loop) : loop(loop) {}

  /// Adds what the operands of `op` are computed from. False, and nothing is
  /// added, if that is more than arithmetic.
  bool addOperandsOf(Operation *op);

  /// The numbers of the iterated values that take part, ascending.
  SmallVector<unsigned> getIterated() const;

  /// Computes all of it once more. `mapping` has the induction variable and the
  /// iterated values of a turn, and then also what is computed of them. The
  /// body may meanwhile be that of another loop.
  void clone(OpBuilder &builder, IRMapping &mapping) const;

private:
  scf::ForOp loop;
  llvm::SetVector<Operation *> operations;
  llvm::SetVector<unsigned> iterated;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_LOOPSLICE_H
