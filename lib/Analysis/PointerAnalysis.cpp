//===- PointerAnalysis.cpp - How a block lies in memory -------------------===//

#include "triton-shared/Analysis/PointerAnalysis.h"

#include <numeric>

using namespace mlir;
using namespace mlir::triton_shared;

PointerAnalysis::Result PointerAnalysis::analyze(Value offsets) {
  AffineForm form = forms.getForm(offsets);
  Result result = describeBlock(form, offsets);
  auto *pattern = std::get_if<AccessPattern>(&result);
  if (!pattern)
    return result;
  unsigned numGathered = 0;
  std::optional<Unstructured> whyGathered;
  for (auto [d, dimension] : llvm::enumerate(pattern->dimensions)) {
    if (!dimension.isGathered())
      continue;
    ++numGathered;
    Unstructured why =
        forms.blame(dimension.indices, offsets,
                    explainIndices(dimension.indices, pattern->shape[d]));
    if (!canGather(dimension.indices))
      return why;
    whyGathered = std::move(why);
  }
  if (numGathered == 0)
    return result;
  if (std::optional<AccessPattern> split = describeSplit(form, offsets))
    return *split;
  // A single list of indices is what a tensor of offsets is already.
  if (numGathered == 1 && !isPartlyStrided(*pattern))
    return *whyGathered;
  return result;
}

/// True if a dimension that is not gathered has more than one element.
bool PointerAnalysis::isPartlyStrided(const AccessPattern &pattern) {
  return llvm::any_of(llvm::zip_equal(pattern.dimensions, pattern.shape),
                      [](auto pair) {
                        auto [dimension, size] = pair;
                        return !dimension.isGathered() && size > 1;
                      });
}

std::string PointerAnalysis::explainIndices(AffineExpr indices,
                                            int64_t size) const {
  std::string reason;
  indices.walk([&](AffineExpr expr) {
    if (!reason.empty() || forms.isUniform(expr) ||
        (expr.getKind() != AffineExprKind::FloorDiv &&
         expr.getKind() != AffineExprKind::Mod))
      return;
    AffineExpr divisor = cast<AffineBinaryOpExpr>(expr).getRHS();
    if (auto constant = dyn_cast<AffineConstantExpr>(divisor))
      reason = "divides by " + std::to_string(constant.getValue()) +
               " an index whose " + std::to_string(size) +
               " values are not whole rows of that";
    else
      reason = "divides an index by a size that is known at run time only";
  });
  return reason.empty() ? "is not linear in the index" : reason;
}

/// The pattern of a block as it is, whatever is gained by it.
PointerAnalysis::Result PointerAnalysis::describeBlock(const AffineForm &form,
                                                       Value offsets) {
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
  AccessPattern pattern{form.shape, sumTerms(uniform, context), {}};
  for (auto [dim, terms] : llvm::enumerate(termsOf))
    pattern.dimensions.push_back(describe(dim, terms));
  return pattern;
}

//===----------------------------------------------------------------------===//
// Flattened blocks
//===----------------------------------------------------------------------===//

/// The pattern after splitting the gathered dimensions whose indices repeat:
/// `i` in [0, 64) becomes `8 * i0 + i1` where `i % 8` or `i / 8` is taken.
/// Nothing if none repeats, or if all dimensions are still gathered.
std::optional<AccessPattern> PointerAnalysis::describeSplit(AffineForm form,
                                                            Value offsets) {
  constexpr size_t maxRank = 6;
  MLIRContext *context = forms.getContext();
  std::optional<AccessPattern> best;
  while (form.expr && form.shape.size() <= maxRank) {
    Result result = describeBlock(form, offsets);
    auto *pattern = std::get_if<AccessPattern>(&result);
    if (!pattern)
      return best;
    int64_t period = 0;
    unsigned split = 0;
    bool canBeBuilt = true;
    for (auto [d, dimension] : llvm::enumerate(pattern->dimensions)) {
      if (!dimension.isGathered())
        continue;
      canBeBuilt &= canGather(dimension.indices);
      if (period != 0)
        continue;
      period = findPeriod(dimension.indices, d, form.shape[d]);
      split = d;
    }
    bool isSplit = pattern->shape != getIndexShape(offsets);
    if (isSplit && canBeBuilt && isPartlyStrided(*pattern))
      best = *pattern;
    if (period == 0)
      return best;
    SmallVector<int64_t> shape = form.shape;
    shape[split] /= period;
    shape.insert(shape.begin() + split + 1, period);
    form = {forms.substitute(
                form.expr, getReshapedPlace(form.shape, shape, context), shape),
            shape};
  }
  return best;
}

/// The shortest period of a quotient or remainder by a constant in `indices`
/// that divides the size of the dimension; 0 if there is none.
int64_t PointerAnalysis::findPeriod(AffineExpr indices, unsigned dim,
                                    int64_t size) const {
  AffineExpr index = getAffineDimExpr(dim, forms.getContext());
  int64_t shortest = 0;
  indices.walk([&](AffineExpr expr) {
    if (expr.getKind() != AffineExprKind::FloorDiv &&
        expr.getKind() != AffineExprKind::Mod)
      return;
    auto binary = cast<AffineBinaryOpExpr>(expr);
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!divisor)
      return;
    for (const AffineTerm &term : getTerms(binary.getLHS())) {
      if (term.factors.size() != 1 || term.factors.front() != index)
        continue;
      int64_t period =
          divisor.getValue() / std::gcd(divisor.getValue(), term.coefficient);
      bool splits = period > 1 && period < size && size % period == 0;
      if (splits && (shortest == 0 || period < shortest))
        shortest = period;
    }
  });
  return shortest;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

DimensionPattern PointerAnalysis::describe(unsigned dim,
                                           ArrayRef<AffineTerm> terms) {
  if (auto strided = describeStrided(terms))
    return *strided;
  if (findsWraps)
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
  AffineExpr start = subtract(binary.getLHS(), getAffineDimExpr(dim, context));
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
DimensionPattern PointerAnalysis::describeGathered(ArrayRef<AffineTerm> terms) {
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
