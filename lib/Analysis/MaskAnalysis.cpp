//===- MaskAnalysis.cpp - Which part of a block a mask lets through -------===//

#include "triton-shared/Analysis/MaskAnalysis.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

using Comparison = arith::CmpIPredicate;

MaskPattern MaskAnalysis::analyze(Value mask, ArrayRef<int64_t> blockShape) {
  shape.assign(blockShape.begin(), blockShape.end());
  pattern = MaskPattern();
  pattern.dimensions.resize(shape.size());
  collect({mask},
          getReshapedPlace(getIndexShape(mask), shape, mask.getContext()));
  return pattern;
}

/// The value of a boolean constant, of all elements if it is a tensor.
static std::optional<bool> getConstant(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getBoolValue();
  return std::nullopt;
}

void MaskAnalysis::collect(Predicate mask, Place place) {
  if (std::optional<bool> constant = getConstant(mask.value)) {
    pattern.isNever |= *constant == mask.isNegated;
    return;
  }
  if (!isa<RankedTensorType>(mask.value.getType())) {
    pattern.scalars.push_back(mask);
    return;
  }
  if (collectConnective(mask, place) || collectView(mask, place))
    return;
  if (auto compare = mask.value.getDefiningOp<arith::CmpIOp>())
    return collectComparison(compare, mask.isNegated, place);
  addResidual(mask, "is not a comparison of indices");
}

void MaskAnalysis::addResidual(Predicate mask, StringRef reason,
                               AffineExpr expr) {
  Unstructured why = expr ? forms.blame(expr, mask.value, reason)
                          : Unstructured{mask.value, reason.str()};
  pattern.residuals.push_back({mask, std::move(why)});
}

//===----------------------------------------------------------------------===//
// And, or, not
//===----------------------------------------------------------------------===//

/// Takes apart what is a conjunction after the negation has moved inwards.
bool MaskAnalysis::collectConnective(Predicate mask, Place place) {
  Operation *op = mask.value.getDefiningOp();
  if (!op)
    return false;
  bool isNegated = mask.isNegated;
  if (isa<arith::XOrIOp>(op)) {
    for (auto [operand, other] : {std::pair(0, 1), std::pair(1, 0)}) {
      std::optional<bool> flips = getConstant(op->getOperand(other));
      if (!flips)
        continue;
      collect({op->getOperand(operand), isNegated != *flips}, place);
      return true;
    }
    return false;
  }
  if (isNegated ? isa<arith::OrIOp>(op) : isa<arith::AndIOp>(op)) {
    collect({op->getOperand(0), isNegated}, place);
    collect({op->getOperand(1), isNegated}, place);
    return true;
  }
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select)
    return false;
  // A choice is a conjunction if one of its sides is always false.
  std::optional<bool> yes = getConstant(select.getTrueValue());
  std::optional<bool> no = getConstant(select.getFalseValue());
  if (no && *no == isNegated) {
    collect({select.getCondition()}, place);
    collect({select.getTrueValue(), isNegated}, place);
    return true;
  }
  if (yes && *yes == isNegated) {
    collect({select.getCondition(), true}, place);
    collect({select.getFalseValue(), isNegated}, place);
    return true;
  }
  return false;
}

/// Looks through what only moves elements. What stays a predicate inside stays
/// one as a whole, in the shape of the block.
bool MaskAnalysis::collectView(Predicate mask, Place place) {
  Value source;
  SmallVector<AffineExpr> sourcePlace;
  Operation *op = mask.value.getDefiningOp();
  if (auto splat = dyn_cast_or_null<tt::SplatOp>(op)) {
    source = splat.getSrc();
  } else if (auto broadcast = dyn_cast_or_null<tt::BroadcastOp>(op)) {
    source = broadcast.getSrc();
    for (auto [size, expr] : llvm::zip_equal(getIndexShape(source), place))
      sourcePlace.push_back(
          size == 1 ? getAffineConstantExpr(0, op->getContext()) : expr);
  } else if (auto expand = dyn_cast_or_null<tt::ExpandDimsOp>(op)) {
    source = expand.getSrc();
    llvm::append_range(sourcePlace, place);
    sourcePlace.erase(sourcePlace.begin() + expand.getAxis());
  } else if (auto transpose = dyn_cast_or_null<tt::TransOp>(op)) {
    source = transpose.getSrc();
    sourcePlace.resize(place.size());
    for (auto [d, sourceDim] : llvm::enumerate(transpose.getOrder()))
      sourcePlace[sourceDim] = place[d];
  } else if (auto reshape = dyn_cast_or_null<tt::ReshapeOp>(op)) {
    source = reshape.getSrc();
    for (AffineExpr expr :
         getReshapedPlace(getIndexShape(source), getIndexShape(mask.value),
                          op->getContext()))
      sourcePlace.push_back(forms.substitute(expr, place, shape));
  } else {
    return false;
  }
  SmallVector<ResidualMask, 1> outer = std::move(pattern.residuals);
  pattern.residuals.clear();
  collect({source, mask.isNegated}, sourcePlace);
  if (!pattern.residuals.empty())
    outer.push_back({mask, pattern.residuals.front().why});
  pattern.residuals = std::move(outer);
  return true;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// The signed comparison that gives the same result for numbers that are not
/// negative.
static Comparison toSigned(Comparison predicate) {
  switch (predicate) {
  case Comparison::ult:
    return Comparison::slt;
  case Comparison::ule:
    return Comparison::sle;
  case Comparison::ugt:
    return Comparison::sgt;
  case Comparison::uge:
    return Comparison::sge;
  default:
    return predicate;
  }
}

/// True if `form` sums up or multiplies data and may wrap around: only indices
/// are known not to. What one scalar from memory adds to indices is an index,
/// too, such as the start of a sequence.
bool MaskAnalysis::mayWrap(const AffineForm &form, unsigned width) {
  bool hasData = false, isUniform = forms.isUniform(form.expr);
  form.expr.walk([&](AffineExpr leaf) {
    if (!isa<AffineSymbolExpr>(leaf))
      return;
    const IndexSymbol &symbol = forms.getSymbol(leaf);
    Operation *op = symbol.value.getDefiningOp();
    hasData |= symbol.kind == IndexSymbol::Kind::Element ||
               (isUniform && op && hasEffect<MemoryEffects::Read>(op));
  });
  int64_t high = llvm::maxIntN(width), low = llvm::minIntN(width);
  IndexRange range = forms.getRange(form.expr, form.shape);
  // A value as it is does not exceed its own bits.
  return hasData && !isa<AffineSymbolExpr>(form.expr) &&
         (width == 64 ? range.high == high || range.low == low
                      : !range.isWithin(low, high));
}

void MaskAnalysis::collectComparison(arith::CmpIOp compare, bool isNegated,
                                     Place place) {
  Predicate mask{compare.getResult(), isNegated};
  Type element = getElementTypeOrSelf(compare.getLhs().getType());
  if (!element.isInteger(32) && !element.isInteger(64))
    return addResidual(mask, "compares numbers that are not indices");
  AffineForm lhs = forms.getForm(compare.getLhs());
  AffineForm rhs = forms.getForm(compare.getRhs());
  unsigned width = element.getIntOrFloatBitWidth();
  if (mayWrap(lhs, width) || mayWrap(rhs, width))
    return addResidual(mask, "computes with data, which may wrap around");
  Comparison predicate = compare.getPredicate();
  if (toSigned(predicate) != predicate &&
      !(forms.isUnsigned(lhs) && forms.isUnsigned(rhs)))
    return addResidual(mask, "compares unsigned numbers that may be above the "
                             "largest signed one");
  predicate = toSigned(predicate);
  if (isNegated)
    predicate = arith::invertPredicate(predicate);
  AffineExpr left = forms.substitute(lhs.expr, place, shape);
  AffineExpr right = forms.substitute(rhs.expr, place, shape);
  AffineExpr difference = left && right ? subtract(left, right) : nullptr;
  if (!difference)
    return addResidual(mask, "compares numbers that exceed 64 bits");
  collectDifference(predicate, difference, mask);
}

void MaskAnalysis::collectDifference(Comparison predicate,
                                     AffineExpr difference, Predicate mask) {
  if (isDecided(predicate, difference))
    return;
  if (isDecided(arith::invertPredicate(predicate), difference)) {
    pattern.isNever = true;
    return;
  }
  if (forms.isUniform(difference)) {
    pattern.comparisons.push_back({predicate, difference});
    return;
  }
  if (addBounds(predicate, difference))
    return;
  if (std::optional<UniformComparison> simpler =
          dropRemainder(predicate, difference))
    return collectDifference(simpler->predicate, simpler->expr, mask);
  addResidual(mask, "does not compare one index with a scalar", difference);
}

/// Whether a number is negative does not depend on its remainder: with `j` in
/// [0, 8), `8 * i + j - 240 < 0` is `i - 30 < 0`.
std::optional<UniformComparison>
MaskAnalysis::dropRemainder(Comparison predicate, AffineExpr difference) const {
  if (predicate == Comparison::sle || predicate == Comparison::sgt) {
    difference = normalize(difference - 1);
    predicate =
        predicate == Comparison::sle ? Comparison::slt : Comparison::sge;
  }
  if (!difference ||
      (predicate != Comparison::slt && predicate != Comparison::sge))
    return std::nullopt;
  auto ranges = [&](AffineExpr leaf) { return forms.getRange(leaf, shape); };
  for (const AffineTerm &term : getTerms(difference)) {
    if (term.factors.empty() || term.coefficient <= 1)
      continue;
    AffineExpr quotient = floorDivide(
        difference,
        getAffineConstantExpr(term.coefficient, difference.getContext()),
        ranges);
    bool isSimpler =
        quotient &&
        llvm::none_of(getTerms(quotient), [](const AffineTerm &part) {
          return llvm::any_of(part.factors, [](AffineExpr factor) {
            return isa<AffineBinaryOpExpr>(factor);
          });
        });
    if (isSimpler)
      return UniformComparison{predicate, quotient};
  }
  return std::nullopt;
}

/// True if `difference predicate 0` always holds.
bool MaskAnalysis::isDecided(Comparison predicate, AffineExpr difference) {
  IndexRange range = forms.getRange(difference, shape);
  switch (predicate) {
  case Comparison::slt:
    return range.high < 0;
  case Comparison::sle:
    return range.high <= 0;
  case Comparison::sgt:
    return range.low > 0;
  case Comparison::sge:
    return range.low >= 0;
  case Comparison::eq:
    return range.low == 0 && range.high == 0;
  case Comparison::ne:
    return range.low > 0 || range.high < 0;
  default:
    return false;
  }
}

/// Bounds from `coefficient * d + rest predicate 0`, if `difference` is that.
bool MaskAnalysis::addBounds(Comparison predicate, AffineExpr difference) {
  AffineAnalysis::Split parts = forms.split(difference);
  SmallVector<AffineTerm> varying = getTerms(parts.varying);
  if (varying.size() != 1 || varying.front().factors.size() != 1)
    return false;
  auto dim = dyn_cast<AffineDimExpr>(varying.front().factors.front());
  int64_t coefficient = varying.front().coefficient;
  if (!dim || coefficient == IndexRange::lowest)
    return false;
  unsigned position = dim.getPosition();
  AffineExpr rest = parts.uniform;
  switch (predicate) {
  case Comparison::slt:
    return addNegative(coefficient, position, rest);
  case Comparison::sle:
    return addNegative(coefficient, position, rest - 1);
  case Comparison::sgt:
    return addNegative(-coefficient, position, -rest);
  case Comparison::sge:
    return addNegative(-coefficient, position, -rest - 1);
  case Comparison::eq:
    return addNegative(coefficient, position, rest - 1) &&
           addNegative(-coefficient, position, -rest - 1);
  default:
    return false;
  }
}

/// Adds the bound that says `coefficient * d + rest < 0`, unless all indices
/// keep to it; false if the bound cannot be written down.
bool MaskAnalysis::addNegative(int64_t coefficient, unsigned dim,
                               AffineExpr rest) {
  // d < ceil(-rest / coefficient), or d > floor(rest / -coefficient)
  bool isHigh = coefficient > 0;
  AffineExpr dividend = normalize(isHigh ? -rest + (coefficient - 1) : rest);
  AffineExpr divisor =
      getAffineConstantExpr(std::abs(coefficient), rest.getContext());
  auto ranges = [&](AffineExpr leaf) { return forms.getRange(leaf, shape); };
  AffineExpr quotient =
      dividend ? floorDivide(dividend, divisor, ranges) : nullptr;
  AffineExpr bound = quotient && !isHigh ? normalize(quotient + 1) : quotient;
  if (!bound)
    return false;
  IndexRange range = forms.getRange(bound, shape);
  if (isHigh && range.low < shape[dim])
    pattern.dimensions[dim].highs.push_back(bound);
  if (!isHigh && range.high > 0)
    pattern.dimensions[dim].lows.push_back(bound);
  return true;
}
