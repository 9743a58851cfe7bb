//===- PointerAnalysis.cpp - How a block lies in memory -------------------===//

#include "triton-shared/Analysis/PointerAnalysis.h"

using namespace mlir;
using namespace mlir::triton_shared;

PointerAnalysis::Result PointerAnalysis::analyze(Value offsets) {
  AffineForm form = forms.getForm(offsets);
  MLIRContext *context = form.expr.getContext();
  SmallVector<Terms> termsOf(form.shape.size());
  Terms uniform;
  for (AffineTerm &term : getTerms(form.expr)) {
    AffineExpr expr = sumTerms(term, context);
    llvm::SmallBitVector dims = forms.getDims(expr);
    if (dims.count() > 1)
      return forms.blame(expr, offsets, "depends on two dimensions at once");
    (dims.none() ? uniform : termsOf[dims.find_first()])
        .push_back(std::move(term));
  }

  AccessPattern pattern{sumTerms(uniform, context), {}};
  unsigned numGathered = 0, numOthers = 0;
  std::optional<Unstructured> whyGathered;
  for (auto [dim, terms] : llvm::enumerate(termsOf)) {
    DimensionPattern dimension = describe(dim, terms);
    if (dimension.isGathered()) {
      ++numGathered;
      Unstructured why = forms.blame(dimension.indices, offsets,
                                     "is not linear in the index");
      if (!canGather(dimension.indices))
        return why;
      whyGathered = std::move(why);
    } else if (form.shape[dim] > 1) {
      ++numOthers;
    }
    pattern.dimensions.push_back(std::move(dimension));
  }
  // A single list of indices is what a tensor of offsets is already.
  if (numGathered == 1 && numOthers == 0)
    return *whyGathered;
  return pattern;
}

DimensionPattern PointerAnalysis::describe(unsigned dim,
                                           ArrayRef<AffineTerm> terms) {
  if (auto strided = describeStrided(terms))
    return *strided;
  if (auto wrapped = describeWrapped(dim, terms))
    return *wrapped;
  return describeGathered(terms);
}

/// What does not vary over the block, with the coefficient, and what does.
std::pair<AffineTerm, AffineTerm>
PointerAnalysis::splitFactors(const AffineTerm &term) const {
  AffineTerm uniform{term.coefficient, {}}, varying{1, {}};
  for (AffineExpr factor : term.factors)
    (forms.isUniform(factor) ? uniform : varying).factors.push_back(factor);
  return {uniform, varying};
}

/// `sum of uniform * d`; no term at all is a stride of 0.
std::optional<DimensionPattern>
PointerAnalysis::describeStrided(ArrayRef<AffineTerm> terms) {
  MLIRContext *context = forms.getContext();
  Terms stride;
  for (const AffineTerm &term : terms) {
    auto [uniform, varying] = splitFactors(term);
    if (varying.factors.size() != 1 || !isa<AffineDimExpr>(varying.factors[0]))
      return std::nullopt;
    stride.push_back(std::move(uniform));
  }
  return DimensionPattern{sumTerms(stride, context)};
}

/// `sum of uniform * ((start + d) mod size)`.
std::optional<DimensionPattern>
PointerAnalysis::describeWrapped(unsigned dim, ArrayRef<AffineTerm> terms) {
  MLIRContext *context = forms.getContext();
  Terms stride;
  AffineExpr remainder;
  for (const AffineTerm &term : terms) {
    auto [uniform, varying] = splitFactors(term);
    if (varying.factors.size() != 1 ||
        (remainder && remainder != varying.factors[0]))
      return std::nullopt;
    remainder = varying.factors[0];
    stride.push_back(std::move(uniform));
  }
  if (!remainder || remainder.getKind() != AffineExprKind::Mod)
    return std::nullopt;
  auto binary = cast<AffineBinaryOpExpr>(remainder);
  AffineExpr start =
      subtract(binary.getLHS(), getAffineDimExpr(dim, context));
  if (!start || !forms.isUniform(start) || !forms.isUniform(binary.getRHS()) ||
      !forms.getRange(start, {}).isNonNegative())
    return std::nullopt;
  DimensionPattern pattern{sumTerms(stride, context)};
  pattern.wrapStart = start;
  pattern.wrapSize = binary.getRHS();
  return pattern;
}

/// A factor that all terms share stays a stride, so that the indices need no
/// multiplication.
DimensionPattern
PointerAnalysis::describeGathered(ArrayRef<AffineTerm> terms) {
  MLIRContext *context = forms.getContext();
  std::optional<AffineTerm> shared;
  bool areAllEqual = true;
  Terms indices;
  for (const AffineTerm &term : terms) {
    auto [uniform, varying] = splitFactors(term);
    if (!shared)
      shared = uniform;
    areAllEqual &= shared->coefficient == uniform.coefficient &&
                   shared->factors == uniform.factors;
    indices.push_back(std::move(varying));
  }
  DimensionPattern pattern{getAffineConstantExpr(1, context)};
  pattern.indices = sumTerms(areAllEqual ? indices : Terms(terms), context);
  if (areAllEqual)
    pattern.stride = sumTerms(*shared, context);
  return pattern;
}

/// True if `expr` can be computed as a list along its dimension: elements of
/// tensors are then a row of the tensor.
bool PointerAnalysis::canGather(AffineExpr expr) const {
  bool areRows = true;
  expr.walk([&](AffineExpr leaf) {
    if (!isa<AffineSymbolExpr>(leaf))
      return;
    unsigned numDims = 0;
    for (AffineExpr index : forms.getSymbol(leaf).indices) {
      numDims += isa<AffineDimExpr>(index);
      areRows &= isa<AffineDimExpr, AffineConstantExpr>(index);
    }
    areRows &= numDims <= 1;
  });
  return areRows;
}
