//===- FormEvaluator.h - Index expressions as numbers -----------*- C++ -*-===//
//
// Evaluates the expressions of forms with what an interpreted run has computed.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_UNITTESTS_FORMEVALUATOR_H
#define TRITON_SHARED_UNITTESTS_FORMEVALUATOR_H

#include "Interpreter.h"
#include "triton-shared/Analysis/AffineForm.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::triton_shared {

class FormEvaluator {
public:
  FormEvaluator(const AffineAnalysis &forms, const Interpreter &run)
      : forms(forms), run(run) {}

  /// `expr` at a place of the block. Not for carried symbols.
  int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> place = {}) const {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return constant.getValue();
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return place[dim.getPosition()];
    if (isa<AffineSymbolExpr>(expr))
      return evaluateSymbol(forms.getSymbol(expr), place);
    auto binary = cast<AffineBinaryOpExpr>(expr);
    int64_t lhs = evaluate(binary.getLHS(), place);
    int64_t rhs = evaluate(binary.getRHS(), place);
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return lhs + rhs;
    case AffineExprKind::Mul:
      return lhs * rhs;
    case AffineExprKind::FloorDiv:
      return llvm::divideFloorSigned(lhs, rhs);
    default:
      return llvm::mod(lhs, rhs);
    }
  }

  /// True if the form of `value` is right at every place.
  bool agrees(Value value) const {
    AffineForm form = const_cast<AffineAnalysis &>(forms).getForm(value);
    for (auto [i, element] : llvm::enumerate(run.get(value)))
      if (evaluate(form.expr, getPlace(i, form.shape)) != element)
        return false;
    return true;
  }

private:
  int64_t evaluateSymbol(const IndexSymbol &symbol,
                         ArrayRef<int64_t> place) const {
    int64_t position = 0;
    for (auto [index, size] :
         llvm::zip_equal(symbol.indices, getIndexShape(symbol.value)))
      position = position * size + evaluate(index, place);
    return run.get(symbol.value)[position];
  }

  const AffineAnalysis &forms;
  const Interpreter &run;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_UNITTESTS_FORMEVALUATOR_H
