//===- GuardedBox.cpp - Accesses that are a box under a condition ---------===//

#include "triton-shared/Analysis/GuardedBox.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Analysis/TensorBox.h"
#include "triton-shared/Analysis/UnstoredRows.h"
#include "triton-shared/Dialect/Structured/IR/ElementBytes.h"

using namespace mlir;
using namespace mlir::triton_shared;

int64_t GuardedBoxAnalysis::getDivisor(Value value) {
  return getKnownDivisor(solver, value, kBoxAlignment);
}

/// What `expr` is a multiple of, as far as is known of its symbols.
int64_t GuardedBoxAnalysis::getDivisor(AffineExpr expr) {
  int64_t divisor = kBoxAlignment;
  for (const AffineTerm &term : getTerms(expr)) {
    int64_t ofTerm = term.coefficient & -term.coefficient;
    for (AffineExpr factor : term.factors)
      if (isa<AffineSymbolExpr>(factor) && ofTerm % kBoxAlignment)
        ofTerm *= getDivisor(numbers.getForms().getSymbol(factor).value);
    divisor = ofTerm ? std::min(divisor, ofTerm & -ofTerm) : divisor;
  }
  return divisor;
}

int64_t GuardedBoxAnalysis::getDivisor(const LinearForm &form,
                                       scf::ForOp loop) {
  return std::min(getDivisor(form.base),
                  getDivisor(form.slope) * getDivisor(loop.getInductionVar()));
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// A remainder is taken by the size of the tensor, or by that without its sign.
AffineExpr GuardedBoxAnalysis::getWrapSize(Value wrapSize) {
  if (auto larger = wrapSize.getDefiningOp<arith::MaxSIOp>()) {
    auto negated = larger.getRhs().getDefiningOp<arith::SubIOp>();
    if (negated && matchPattern(negated.getLhs(), m_Zero()) &&
        negated.getRhs() == larger.getLhs())
      wrapSize = larger.getLhs();
  }
  return numbers.getForm(wrapSize);
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

std::optional<Unstructured>
GuardedBoxAnalysis::describeWrapped(tts::DimensionAccess dimension, Value tile,
                                    scf::ForOp loop, Dimension &known) {
  if (dimension.isBounded())
    return Unstructured{tile, "has a dimension with a remainder and bounds"};
  if (!loop.isDefinedOutsideOfLoop(dimension.wrapStart) ||
      !loop.isDefinedOutsideOfLoop(dimension.wrapSize))
    return Unstructured{dimension.wrapStart, "is another one in each turn"};
  known.size = numbers.find(getWrapSize(dimension.wrapSize));
  if (!known.size)
    return Unstructured{dimension.wrapSize, "is computed in the kernel"};
  known.isWrapped = true;
  known.start = numbers.getForm(dimension.wrapStart);
  known.startDivisor = getDivisor(dimension.wrapStart);
  return std::nullopt;
}

std::optional<Unstructured>
GuardedBoxAnalysis::describeBounded(tts::DimensionAccess dimension, Value tile,
                                    Dimension &known) {
  if (!matchPattern(dimension.low, m_Zero()))
    return Unstructured{dimension.low, "is not where the tensor begins"};
  AffineExpr high = numbers.getForm(dimension.high);
  std::optional<AffineExpr> size = findSize(high);
  known.start = size ? subtract(*size, high) : nullptr;
  // What comes before the tensor's first element would be read as zero.
  if (!known.start ||
      !numbers.getForms().getRange(known.start, {}).isNonNegative())
    return Unstructured{dimension.high,
                        "is not the size of a tensor less a beginning in it"};
  known.size = numbers.find(*size);
  // The box begins at the difference of the two.
  known.startDivisor = std::min(getDivisor(*size), getDivisor(dimension.high));
  return std::nullopt;
}

/// What `expr` is in each turn, if that can be computed before the loop; `expr`
/// may be null.
std::optional<LinearForm> GuardedBoxAnalysis::findBeforeLoop(AffineExpr expr,
                                                             LoopForms &turns) {
  std::optional<LinearForm> form = expr ? turns.findLinear(expr) : std::nullopt;
  const AffineAnalysis &forms = numbers.getForms();
  bool isKnown =
      form && forms.canCompute(form->base) && forms.canCompute(form->slope);
  return isKnown ? form : std::nullopt;
}

/// What the beginning of a box is a multiple of, in a tensor that ends where
/// its bounds say. Both may be odd numbers of which the difference is none.
int64_t GuardedBoxAnalysis::refineStart(const Dimension &known,
                                        LoopForms &turns, scf::ForOp loop,
                                        GuardedDimension &dimension) {
  std::optional<LinearForm> form =
      known.isWrapped ? std::nullopt
                      : findBeforeLoop(turns.unroll(known.start), turns);
  if (!form || getDivisor(*form, loop) <= known.startDivisor)
    return known.startDivisor;
  dimension.startInBounds = form;
  return getDivisor(*form, loop);
}

std::variant<GuardedBoxAnalysis::Dimension, Unstructured>
GuardedBoxAnalysis::describe(tts::DimensionAccess dimension, Value tile,
                             scf::ForOp loop) {
  AffineExpr strideForm = numbers.getForm(dimension.stride);
  std::optional<tts::LaunchNumber> stride = numbers.find(strideForm);
  if (!stride)
    return Unstructured{tile, "has a stride that is computed in the kernel"};
  if (dimension.isGathered())
    return Unstructured{dimension.indices, "are rows of their own"};
  Dimension known = {*stride, strideForm};
  std::optional<Unstructured> why;
  if (dimension.isWrapped())
    why = describeWrapped(dimension, tile, loop, known);
  else if (dimension.isBounded())
    why = describeBounded(dimension, tile, known);
  else
    known.start = getAffineConstantExpr(0, tile.getContext());
  if (why)
    return *why;
  return known;
}

std::variant<SmallVector<GuardedBoxAnalysis::Dimension>, Unstructured>
GuardedBoxAnalysis::describeAll(tts::AccessOpInterface load, scf::ForOp loop) {
  SmallVector<Dimension> all;
  for (tts::DimensionAccess dimension : load.getDimensions()) {
    auto described = describe(dimension, load.getTile(), loop);
    if (auto *why = std::get_if<Unstructured>(&described))
      return *why;
    all.push_back(std::get<Dimension>(described));
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Tensors that go on and on
//===----------------------------------------------------------------------===//

/// How far along each dimension the offset is besides where the block begins in
/// its matrix: what is no multiple of a stride is along neighbours. Nothing if
/// that cannot be told for all turns.
std::optional<GuardedBoxAnalysis::Shares>
GuardedBoxAnalysis::shareOut(tts::AccessOpInterface load,
                             ArrayRef<Dimension> dimensions, unsigned innermost,
                             LoopForms &turns) {
  MLIRContext *context = load.getContext();
  AffineExpr counted = getAffineConstantExpr(0, context);
  for (const Dimension &known : dimensions) {
    // A remainder counts for itself.
    AffineExpr step = known.isWrapped ? getAffineConstantExpr(0, context)
                                      : multiply(known.start, known.strideForm);
    counted = step && counted ? add(counted, step) : nullptr;
  }
  AffineExpr offset = turns.unroll(numbers.getForm(load.getOffset()));
  AffineExpr before = counted ? turns.unroll(counted) : nullptr;
  AffineExpr rest = offset && before ? subtract(offset, before) : nullptr;
  if (!rest)
    return std::nullopt;
  Shares shares(dimensions.size(), getAffineConstantExpr(0, context));
  for (const AffineTerm &term : getTerms(rest)) {
    unsigned along = innermost;
    AffineExpr share = sumTerms(term, context);
    for (auto [i, known] : llvm::enumerate(dimensions)) {
      std::optional<AffineTerm> quotient;
      if (i != innermost)
        quotient = divideTerm(term, known.strideForm);
      if (quotient) {
        along = i;
        share = sumTerms(*quotient, context);
      }
    }
    shares[along] = shares[along] + share;
  }
  return shares;
}

/// Describes a dimension of which the box is `share` further than its bounds or
/// its remainder say; false if that cannot be computed before the loop.
bool GuardedBoxAnalysis::isEndless(const Dimension &known, AffineExpr share,
                                   int64_t size, LoopForms &turns,
                                   GuardedDimension &dimension) {
  AffineExpr start = turns.unroll(known.start);
  AffineExpr all = start ? add(start, share) : nullptr;
  dimension.start = findBeforeLoop(all, turns);
  if (!dimension.start)
    return false;
  dimension.size = tts::LaunchNumber::constant(
      all == getAffineConstantExpr(0, all.getContext())
          ? size
          : std::numeric_limits<int32_t>::max());
  if (!known.size || known.isWrapped)
    return true;
  dimension.matrixSize = *known.size;
  dimension.startInMatrix = findBeforeLoop(start, turns);
  return dimension.startInMatrix.has_value();
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Why no launch can make a map, if none can. Addresses and strides that are
/// arguments it looks at itself: where they are no multiples of 16 bytes, a map
/// is missing.
std::optional<Unstructured>
GuardedBoxAnalysis::checkStrides(tts::AccessOpInterface load,
                                 ArrayRef<Dimension> dimensions,
                                 unsigned innermost) {
  int64_t bytes = tts::getElementBytes(load.getTileType());
  for (auto [i, known] : llvm::enumerate(dimensions))
    if (i != innermost && !known.stride.isArgument &&
        known.stride.value * bytes % kBoxAlignment != 0)
      return Unstructured{load.getTile(),
                          "has a stride that is no multiple of 16 bytes"};
  return std::nullopt;
}

/// Whether stores end where the wrapped dimension does.
bool GuardedBoxAnalysis::mayReachOver(tts::AccessOpInterface load,
                                      unsigned wrapped) {
  tts::DimensionAccess access = load.getDimensions()[wrapped];
  AffineExpr end =
      subtract(getWrapSize(access.wrapSize), numbers.getForm(access.wrapStart));
  return end && isUnstoredBeyondEnd(load.getTile(), wrapped, [&](Value high) {
           return numbers.getForm(high) == end;
         });
}

GuardedBoxAnalysis::Result
GuardedBoxAnalysis::analyze(tts::AccessOpInterface load, scf::ForOp loop) {
  Value tile = load.getTile();
  if (load.getMask() || load.isVolatile() || !isZeroOutside(load.getOther()))
    return Unstructured{tile, "is masked element by element, volatile, or not "
                              "zero outside"};
  if (!numbers.findParameter(load.getBase()))
    return Unstructured{load.getBase(), "is no argument of the kernel"};
  auto described = describeAll(load, loop);
  if (auto *why = std::get_if<Unstructured>(&described))
    return *why;
  auto dimensions = std::get<SmallVector<Dimension>>(std::move(described));
  auto innermost =
      llvm::find_if(llvm::reverse(dimensions), [](const Dimension &known) {
        return known.stride == tts::LaunchNumber::constant(1);
      });
  if (innermost == dimensions.rend() ||
      dimensions.size() > TensorBoxAnalysis::kMaxRank)
    return Unstructured{tile, "has no dimension known to be dense"};
  GuardedBox box;
  box.innermost = innermost.base() - 1 - dimensions.begin();
  LoopForms turns(numbers.getForms(), loop);
  std::optional<Shares> shares =
      shareOut(load, dimensions, box.innermost, turns);
  if (!shares)
    return Unstructured{load.getOffset(), "does not grow by the same amount in "
                                          "each turn"};
  int64_t startDivisor = innermost->startDivisor;
  for (auto [i, known] : llvm::enumerate(dimensions)) {
    AffineExpr share = (*shares)[i];
    GuardedDimension &dimension = box.dimensions.emplace_back();
    if (known.size && share == getAffineConstantExpr(0, share.getContext())) {
      dimension.size = *known.size;
      dimension.mayReachOver = known.isWrapped && mayReachOver(load, i);
      if (i == box.innermost)
        startDivisor = refineStart(known, turns, loop, dimension);
    } else if (!isEndless(known, share, load.getTileType().getShape()[i], turns,
                          dimension)) {
      return Unstructured{load.getOffset(), "is not where its bounds say"};
    } else if (i == box.innermost) {
      startDivisor = getDivisor(*dimension.start, loop);
    }
    for (const std::optional<LinearForm> &form :
         {dimension.start, dimension.startInMatrix, dimension.startInBounds})
      if (form) {
        numbers.getForms().addValues(form->base, box.values);
        numbers.getForms().addValues(form->slope, box.values);
      }
  }
  if (std::optional<Unstructured> why =
          checkStrides(load, dimensions, box.innermost))
    return *why;
  if (std::optional<Unstructured> why = checkStartAlignment(load, startDivisor))
    return *why;
  return box;
}
