//===- GuardedBox.cpp - Accesses that are a box under a condition ---------===//

#include "triton-shared/Analysis/GuardedBox.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Analysis/TensorBox.h"

using namespace mlir;
using namespace mlir::triton_shared;

int64_t GuardedBoxAnalysis::getDivisor(Value value) {
  return getKnownDivisor(solver, value, kBoxAlignment);
}

/// What `size`, which a launch knows, is a multiple of.
int64_t GuardedBoxAnalysis::getDivisor(AffineExpr size) {
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return constant.getValue() & -constant.getValue();
  return getDivisor(numbers.getForms().getSymbol(size).value);
}

//===----------------------------------------------------------------------===//
// What loops carry
//===----------------------------------------------------------------------===//

bool GuardedBoxAnalysis::isInvariant(AffineExpr expr, scf::ForOp loop) {
  return !expr.walk([&](AffineExpr part) {
                bool isOutside = !isa<AffineSymbolExpr>(part) ||
                                 loop.isDefinedOutsideOfLoop(
                                     numbers.getForms().getSymbol(part).value);
                return isOutside ? WalkResult::advance()
                                 : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// What `carried` is in the turn of the induction variable, if each turn adds
/// the same to it; else null.
AffineExpr GuardedBoxAnalysis::getCarried(BlockArgument carried,
                                          scf::ForOp loop) {
  AffineExpr before = numbers.getForm(carried);
  AffineExpr after =
      numbers.getForm(loop.getTiedLoopYieldedValue(carried)->get());
  AffineExpr added = subtract(after, before);
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!added || !step || !isInvariant(added, loop))
    return nullptr;
  SmallVector<AffineTerm> perStep = getTerms(added);
  for (AffineTerm &term : perStep) {
    if (term.coefficient % *step)
      return nullptr;
    term.coefficient /= *step;
  }
  AffineExpr walked = subtract(numbers.getForm(loop.getInductionVar()),
                               numbers.getForm(loop.getLowerBound()));
  if (walked)
    walked = multiply(walked, sumTerms(perStep, added.getContext()));
  return walked ? add(walked,
                      numbers.getForm(loop.getTiedLoopInit(carried)->get()))
                : nullptr;
}

/// `expr` without values that `loop` carries; null if it cannot do without.
AffineExpr GuardedBoxAnalysis::unroll(AffineExpr expr, scf::ForOp loop) {
  DenseMap<AffineExpr, AffineExpr> known;
  bool isKnown = true;
  expr.walk([&](AffineExpr part) {
    if (!isa<AffineSymbolExpr>(part))
      return;
    auto carried =
        dyn_cast<BlockArgument>(numbers.getForms().getSymbol(part).value);
    if (!carried || carried.getOwner() != loop.getBody() ||
        carried == loop.getInductionVar())
      return;
    known[part] = getCarried(carried, loop);
    isKnown &= static_cast<bool>(known[part]);
  });
  return isKnown ? normalize(expr.replace(known)) : nullptr;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// A remainder is taken by the size of the tensor, or by that without its sign.
std::optional<tts::LaunchNumber>
GuardedBoxAnalysis::findWrapSize(Value wrapSize) {
  if (auto larger = wrapSize.getDefiningOp<arith::MaxSIOp>()) {
    auto negated = larger.getRhs().getDefiningOp<arith::SubIOp>();
    if (negated && matchPattern(negated.getLhs(), m_Zero()) &&
        negated.getRhs() == larger.getLhs())
      wrapSize = larger.getLhs();
  }
  return numbers.find(numbers.getForm(wrapSize));
}

/// The one number that a launch knows in `high`, the size of a tensor less
/// where a box in it begins.
std::optional<AffineExpr> GuardedBoxAnalysis::findSize(AffineExpr high) {
  SmallVector<AffineExpr> found;
  AffineExpr constant = getAffineConstantExpr(0, high.getContext());
  for (const AffineTerm &term : getTerms(high)) {
    AffineExpr expr = sumTerms(term, high.getContext());
    if (term.factors.empty())
      constant = expr;
    else if (numbers.find(expr))
      found.push_back(expr);
  }
  if (found.empty())
    return constant;
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

std::variant<GuardedBoxAnalysis::Dimension, Unstructured>
GuardedBoxAnalysis::describeWrapped(tts::DimensionAccess dimension, Value tile,
                                    scf::ForOp loop) {
  if (dimension.isBounded())
    return Unstructured{tile, "has a dimension with a remainder and bounds"};
  if (!loop.isDefinedOutsideOfLoop(dimension.wrapStart) ||
      !loop.isDefinedOutsideOfLoop(dimension.wrapSize))
    return Unstructured{dimension.wrapStart, "is another one in each turn"};
  std::optional<tts::LaunchNumber> size = findWrapSize(dimension.wrapSize);
  if (!size)
    return Unstructured{dimension.wrapSize, "is computed in the kernel"};
  return Dimension{*size, getAffineConstantExpr(0, tile.getContext()),
                   getDivisor(dimension.wrapStart)};
}

std::variant<GuardedBoxAnalysis::Dimension, Unstructured>
GuardedBoxAnalysis::describe(tts::DimensionAccess dimension, Value tile,
                             scf::ForOp loop) {
  if (dimension.isGathered())
    return Unstructured{dimension.indices, "are rows of their own"};
  if (dimension.isWrapped())
    return describeWrapped(dimension, tile, loop);
  if (!dimension.isBounded() || !matchPattern(dimension.low, m_Zero()))
    return Unstructured{tile, "has a dimension whose end is not known"};
  AffineExpr high = numbers.getForm(dimension.high);
  std::optional<AffineExpr> size = findSize(high);
  AffineExpr start = size ? subtract(*size, high) : nullptr;
  // What comes before the tensor's first element would be read as zero.
  if (!start || !numbers.getForms().getRange(start, {}).isNonNegative())
    return Unstructured{dimension.high,
                        "is not the size of a tensor less a beginning in it"};
  AffineExpr counted = multiply(start, numbers.getForm(dimension.stride));
  if (!counted)
    return Unstructured{tile, "has an offset of too many bits"};
  // The box begins at the difference of the two.
  return Dimension{*numbers.find(*size), counted,
                   std::min(getDivisor(*size), getDivisor(dimension.high))};
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

GuardedBoxAnalysis::Result
GuardedBoxAnalysis::analyze(tts::AccessOpInterface load, scf::ForOp loop) {
  Value tile = load.getTile();
  if (load.getMask() || load.isVolatile() || !isZeroOutside(load.getOther()))
    return Unstructured{tile, "is masked element by element, volatile, or not "
                              "zero outside"};
  if (!numbers.findParameter(load.getBase()))
    return Unstructured{load.getBase(), "is no argument of the kernel"};
  GuardedBox box;
  std::optional<unsigned> innermost;
  int64_t startDivisor = 1;
  AffineExpr counted = getAffineConstantExpr(0, tile.getContext());
  for (auto [i, dimension] : llvm::enumerate(load.getDimensions())) {
    std::optional<tts::LaunchNumber> stride =
        numbers.find(numbers.getForm(dimension.stride));
    if (!stride)
      return Unstructured{tile, "has a stride that is computed in the kernel"};
    auto described = describe(dimension, tile, loop);
    if (auto *why = std::get_if<Unstructured>(&described))
      return *why;
    auto known = std::get<Dimension>(described);
    box.sizes.push_back(known.size);
    counted = counted ? add(counted, known.counted) : counted;
    if (*stride == tts::LaunchNumber::constant(1)) {
      innermost = i;
      startDivisor = known.startDivisor;
    }
  }
  if (!innermost || box.sizes.size() > TensorBoxAnalysis::kMaxRank)
    return Unstructured{tile, "has no dimension known to be dense"};
  box.innermost = *innermost;
  AffineExpr offset = unroll(numbers.getForm(load.getOffset()), loop);
  if (!offset || !counted || offset != unroll(counted, loop))
    return Unstructured{load.getOffset(), "is not where its bounds say"};
  if (std::optional<Unstructured> why =
          checkBoxAlignment(solver, load, box.innermost, startDivisor))
    return *why;
  return box;
}
