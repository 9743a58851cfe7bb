//===- LoopMasks.h - In which turns masks are true --------------*- C++ -*-===//
//
// A loop over blocks of a matrix has a mask for the few of them that lie on its
// edge, or on a diagonal. By the induction variable alone one can tell in which
// turns the mask is true everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_LOOPMASKS_H
#define TRITON_SHARED_ANALYSIS_LOOPMASKS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "triton-shared/Analysis/LoopForms.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

#include <variant>

namespace mlir::triton_shared {

/// A mask is true everywhere in the turns in which `base + slope * i` is not
/// negative, `i` being the induction variable. `base` can be computed before
/// the loop.
struct MaskMargin {
  AffineExpr base;
  int64_t slope;
};

/// Finds the margins of masks in one loop. Changes nothing.
class LoopMasks {
public:
  using Result = std::variant<MaskMargin, Unstructured>;

  LoopMasks(AffineAnalysis &forms, scf::ForOp loop)
      : forms(forms), turns(forms, loop) {}

  /// Of a signed comparison of indices.
  Result analyze(arith::CmpIOp compare);

  /// Of the lower and the upper bound of a dimension of `size` elements.
  std::pair<Result, Result> analyze(const tts::DimensionAccess &dimension,
                                    int64_t size);

private:
  Result findMargin(AffineExpr least, Value culprit);

  AffineAnalysis &forms;
  LoopForms turns;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_LOOPMASKS_H
