//===- LoopForms.cpp - Numbers of a loop by its turn ----------------------===//

#include "triton-shared/Analysis/LoopForms.h"

using namespace mlir;
using namespace mlir::triton_shared;

bool LoopForms::isInvariant(AffineExpr expr) {
  return !expr.walk([&](AffineExpr part) {
                bool isOutside =
                    !isa<AffineSymbolExpr>(part) ||
                    loop.isDefinedOutsideOfLoop(forms.getSymbol(part).value);
                return isOutside ? WalkResult::advance()
                                 : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// What `carried` is in the turn of the induction variable, if each turn adds
/// the same to it; else null.
AffineExpr LoopForms::getCarried(BlockArgument carried) {
  AffineExpr before = getForm(carried);
  AffineExpr after = getForm(loop.getTiedLoopYieldedValue(carried)->get());
  AffineExpr added = subtract(after, before);
  if (!added || !isInvariant(added))
    return nullptr;
  AffineExpr step = getForm(loop.getStep());
  SmallVector<AffineTerm> perStep;
  for (const AffineTerm &term : getTerms(added)) {
    std::optional<AffineTerm> quotient = divideTerm(term, step);
    if (!quotient)
      return nullptr;
    perStep.push_back(*quotient);
  }
  AffineExpr walked =
      subtract(getForm(loop.getInductionVar()), getForm(loop.getLowerBound()));
  if (walked)
    walked = multiply(walked, sumTerms(perStep, added.getContext()));
  // Of a tensor, the symbol is only what its elements have in common.
  AffineExpr first = getForm(loop.getTiedLoopInit(carried)->get());
  return walked ? add(walked, forms.split(first).uniform) : nullptr;
}

AffineExpr LoopForms::unroll(AffineExpr expr) {
  DenseMap<AffineExpr, AffineExpr> known;
  bool isKnown = true;
  expr.walk([&](AffineExpr part) {
    if (!isa<AffineSymbolExpr>(part))
      return;
    auto carried = dyn_cast<BlockArgument>(forms.getSymbol(part).value);
    if (!carried || carried.getOwner() != loop.getBody() ||
        carried == loop.getInductionVar())
      return;
    known[part] = getCarried(carried);
    isKnown &= static_cast<bool>(known[part]);
  });
  return isKnown ? normalize(expr.replace(known)) : nullptr;
}

std::optional<LinearForm> LoopForms::findLinear(AffineExpr expr) {
  AffineExpr turn = getForm(loop.getInductionVar());
  SmallVector<AffineTerm> base, slope;
  for (AffineTerm &term : getTerms(expr)) {
    auto *factor = llvm::find(term.factors, turn);
    if (factor == term.factors.end()) {
      base.push_back(std::move(term));
      continue;
    }
    term.factors.erase(factor);
    slope.push_back(std::move(term));
  }
  LinearForm form = {sumTerms(base, expr.getContext()),
                     sumTerms(slope, expr.getContext())};
  bool isLinear = isInvariant(form.base) && isInvariant(form.slope);
  return isLinear ? std::optional(form) : std::nullopt;
}
