//===- LoopForms.h - Numbers of a loop by its turn --------------*- C++ -*-===//
//
// A loop carries pointers and counts, to which each turn adds. By the induction
// variable alone one can tell where they are in every turn, the last one
// included.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_LOOPFORMS_H
#define TRITON_SHARED_ANALYSIS_LOOPFORMS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Analysis/AffineForm.h"

namespace mlir::triton_shared {

/// `base + slope * i` for the induction variable `i` of a loop that changes
/// neither.
struct LinearForm {
  AffineExpr base, slope;
};

/// The forms of one loop. Changes nothing.
class LoopForms {
public:
  LoopForms(AffineAnalysis &forms, scf::ForOp loop)
      : forms(forms), loop(loop) {}

  /// `expr` without values that the loop carries; null if one of them does not
  /// change by the same amount in each turn.
  AffineExpr unroll(AffineExpr expr);

  /// Nothing if `expr`, which `unroll` gave, depends on other values of a turn,
  /// or on the induction variable in another way.
  std::optional<LinearForm> findLinear(AffineExpr expr);

private:
  bool isInvariant(AffineExpr expr);
  AffineExpr getForm(Value value) { return forms.getForm(value).expr; }
  AffineExpr getCarried(BlockArgument carried);

  AffineAnalysis &forms;
  scf::ForOp loop;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_LOOPFORMS_H
