//===- LoopSlice.h - What a value of a loop is computed from ----*- C++ -*-===//
//
// To load ahead of a loop, the address has to be computed ahead: from the
// induction variable and from those iterated values that arithmetic alone
// carries from turn to turn. Some loads may take part, as those of indices by
// which others load.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_LOOPSLICE_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_LOOPSLICE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton_shared {

class LoopSlice {
public:
  /// Says of something that the loop reads whether it may take part.
  using TakesLoad = llvm::function_ref<bool(tts::AccessOpInterface)>;

  explicit LoopSlice(scf::ForOp loop) : loop(loop) {}

  /// Adds what the operands of `op` are computed from. False, and nothing is
  /// added, if that is more than arithmetic and loads that may take part.
  bool addOperandsOf(Operation *op, TakesLoad takesLoad = nullptr);

  /// The numbers of the iterated values that take part, ascending.
  SmallVector<unsigned> getIterated() const;

  bool contains(Operation *op) const { return operations.contains(op); }
  bool hasLoads() const {
    return llvm::any_of(operations, llvm::IsaPred<tts::AccessOpInterface>);
  }

  /// Computes all of it once more. `mapping` has the induction variable and the
  /// iterated values of a turn, and then also what is computed of them. The
  /// body may meanwhile be that of another loop. Loads that take part are for a
  /// turn that there is, if `condition`.
  void clone(OpBuilder &builder, IRMapping &mapping,
             Value condition = nullptr) const;

private:
  scf::ForOp loop;
  llvm::SetVector<Operation *> operations;
  llvm::SetVector<unsigned> iterated;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_LOOPSLICE_H
