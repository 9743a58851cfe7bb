//===- LoopMasks.cpp - In which turns masks are true ----------------------===//

#include "triton-shared/Analysis/LoopMasks.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// What a comparison asks to be zero or more; null if it asks something else.
static AffineExpr getDifference(arith::CmpIPredicate predicate, AffineExpr lhs,
                                AffineExpr rhs) {
  switch (predicate) {
  case arith::CmpIPredicate::sge:
    return subtract(lhs, rhs);
  case arith::CmpIPredicate::sgt:
    return subtract(lhs, normalize(rhs + 1));
  case arith::CmpIPredicate::sle:
    return subtract(rhs, lhs);
  case arith::CmpIPredicate::slt:
    return subtract(rhs, normalize(lhs + 1));
  default:
    return nullptr;
  }
}

/// `least` has no dimensions any more; null if it is too large.
LoopMasks::Result LoopMasks::findMargin(AffineExpr least, Value culprit) {
  std::optional<LinearForm> form =
      least ? turns.findLinear(least) : std::nullopt;
  auto slope = form ? dyn_cast<AffineConstantExpr>(form->slope) : nullptr;
  if (!slope)
    return Unstructured{culprit,
                        "does not change by the same amount in each turn"};
  if (!forms.canCompute(form->base))
    return Unstructured{culprit, "cannot be computed before the loop"};
  return MaskMargin{form->base, slope.getValue()};
}

LoopMasks::Result LoopMasks::analyze(arith::CmpIOp compare) {
  Value mask = compare.getResult();
  AffineForm lhs = forms.getForm(compare.getLhs());
  AffineForm rhs = forms.getForm(compare.getRhs());
  AffineExpr difference =
      getDifference(compare.getPredicate(), lhs.expr, rhs.expr);
  AffineExpr unrolled = difference ? turns.unroll(difference) : nullptr;
  if (!unrolled)
    return Unstructured{mask,
                        "does not compare which of two indices is larger"};
  AffineAnalysis::Split parts = forms.split(unrolled);
  IndexRange varying = forms.getRange(parts.varying, lhs.shape);
  if (varying.low == IndexRange::lowest)
    return forms.blame(unrolled, mask, "is different in each element");
  return findMargin(normalize(parts.uniform + varying.low), mask);
}

std::pair<LoopMasks::Result, LoopMasks::Result>
LoopMasks::analyze(const tts::DimensionAccess &dimension, int64_t size) {
  auto find = [&](AffineExpr least, Value bound) -> Result {
    return findMargin(least ? turns.unroll(least) : nullptr, bound);
  };
  AffineExpr low = forms.getForm(dimension.low).expr;
  AffineExpr high = forms.getForm(dimension.high).expr;
  return {find(normalize(-low), dimension.low),
          find(normalize(high - size), dimension.high)};
}
