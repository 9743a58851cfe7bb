//===- AffineTerms.cpp - Sums of products in one normal form --------------===//

#include "triton-shared/Analysis/AffineTerms.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::triton_shared;

using Terms = SmallVector<AffineTerm>;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Negative, zero or positive, by structure: the order does not depend on where
/// an expression lies in memory.
static int compare(AffineExpr lhs, AffineExpr rhs) {
  if (lhs == rhs)
    return 0;
  if (lhs.getKind() != rhs.getKind())
    return lhs.getKind() < rhs.getKind() ? -1 : 1;
  switch (lhs.getKind()) {
  case AffineExprKind::Constant:
    return cast<AffineConstantExpr>(lhs).getValue() <
                   cast<AffineConstantExpr>(rhs).getValue()
               ? -1
               : 1;
  case AffineExprKind::DimId:
    return cast<AffineDimExpr>(lhs).getPosition() <
                   cast<AffineDimExpr>(rhs).getPosition()
               ? -1
               : 1;
  case AffineExprKind::SymbolId:
    return cast<AffineSymbolExpr>(lhs).getPosition() <
                   cast<AffineSymbolExpr>(rhs).getPosition()
               ? -1
               : 1;
  default: {
    auto left = cast<AffineBinaryOpExpr>(lhs);
    auto right = cast<AffineBinaryOpExpr>(rhs);
    int order = compare(left.getLHS(), right.getLHS());
    return order ? order : compare(left.getRHS(), right.getRHS());
  }
  }
}

static bool isBefore(AffineExpr lhs, AffineExpr rhs) {
  return compare(lhs, rhs) < 0;
}

static bool haveFactorsInOrder(const AffineTerm &lhs, const AffineTerm &rhs) {
  return std::lexicographical_compare(lhs.factors.begin(), lhs.factors.end(),
                                      rhs.factors.begin(), rhs.factors.end(),
                                      isBefore);
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// Sorts, adds up what has the same factors, and drops what became zero.
static std::optional<Terms> addUp(Terms terms) {
  llvm::sort(terms, haveFactorsInOrder);
  Terms merged;
  for (AffineTerm &term : terms) {
    if (merged.empty() || merged.back().factors != term.factors) {
      merged.push_back(std::move(term));
      continue;
    }
    int64_t &sum = merged.back().coefficient;
    if (llvm::AddOverflow(sum, term.coefficient, sum))
      return std::nullopt;
  }
  llvm::erase_if(merged,
                 [](const AffineTerm &term) { return term.coefficient == 0; });
  return merged;
}

static std::optional<AffineTerm> multiply(const AffineTerm &lhs,
                                          const AffineTerm &rhs) {
  AffineTerm product{0, lhs.factors};
  llvm::append_range(product.factors, rhs.factors);
  llvm::sort(product.factors, isBefore);
  if (llvm::MulOverflow(lhs.coefficient, rhs.coefficient, product.coefficient))
    return std::nullopt;
  return product;
}

/// The term that makes `a * (x mod y)` whole: `a * y * (x floordiv y)`.
static std::optional<AffineTerm> getComplement(const AffineTerm &rest,
                                               AffineBinaryOpExpr remainder) {
  std::optional<Terms> divisor = expandTerms(remainder.getRHS());
  if (!divisor || divisor->size() != 1)
    return std::nullopt;
  std::optional<AffineTerm> scaled = multiply(rest, divisor->front());
  AffineExpr quotient = remainder.getLHS().floorDiv(remainder.getRHS());
  return scaled ? multiply(*scaled, {1, {quotient}}) : std::nullopt;
}

/// Replaces one `a * (x mod y) + a * y * (x floordiv y)` by `a * x`; false if
/// there is none.
static bool recombine(Terms &terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    for (AffineExpr factor : terms[i].factors) {
      if (factor.getKind() != AffineExprKind::Mod)
        continue;
      auto remainder = cast<AffineBinaryOpExpr>(factor);
      AffineTerm rest = terms[i];
      rest.factors.erase(llvm::find(rest.factors, factor));
      std::optional<AffineTerm> complement = getComplement(rest, remainder);
      std::optional<Terms> dividend = expandTerms(remainder.getLHS());
      if (!complement || !dividend)
        continue;
      auto *other = llvm::find_if(terms, [&](const AffineTerm &term) {
        return term.coefficient == complement->coefficient &&
               term.factors == complement->factors;
      });
      if (other == terms.end())
        continue;
      Terms whole;
      for (const AffineTerm &part : *dividend)
        if (std::optional<AffineTerm> product = multiply(rest, part))
          whole.push_back(std::move(*product));
      if (whole.size() != dividend->size())
        continue;
      // The later one first: the other keeps its place.
      size_t j = other - terms.begin();
      terms.erase(terms.begin() + std::max(i, j));
      terms.erase(terms.begin() + std::min(i, j));
      llvm::append_range(terms, whole);
      return true;
    }
  }
  return false;
}

static std::optional<Terms> merge(Terms terms) {
  std::optional<Terms> merged = addUp(std::move(terms));
  while (merged && recombine(*merged))
    merged = addUp(std::move(*merged));
  return merged;
}

static std::optional<Terms> multiplyTerms(ArrayRef<AffineTerm> lhs,
                                          ArrayRef<AffineTerm> rhs) {
  Terms products;
  for (const AffineTerm &left : lhs) {
    for (const AffineTerm &right : rhs) {
      std::optional<AffineTerm> product = multiply(left, right);
      if (!product)
        return std::nullopt;
      products.push_back(std::move(*product));
    }
  }
  return merge(std::move(products));
}

std::optional<Terms> triton_shared::expandTerms(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return merge({AffineTerm{constant.getValue(), {}}});
  if (expr.getKind() != AffineExprKind::Add &&
      expr.getKind() != AffineExprKind::Mul)
    return Terms{AffineTerm{1, {expr}}};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<Terms> lhs = expandTerms(binary.getLHS());
  std::optional<Terms> rhs = expandTerms(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mul)
    return multiplyTerms(*lhs, *rhs);
  llvm::append_range(*lhs, *rhs);
  return merge(std::move(*lhs));
}

Terms triton_shared::getTerms(AffineExpr expr) {
  return expandTerms(expr).value_or(Terms());
}

std::optional<AffineTerm> triton_shared::divideTerm(AffineTerm term,
                                                    AffineExpr divisor) {
  if (auto constant = dyn_cast<AffineConstantExpr>(divisor)) {
    if (constant.getValue() <= 0 || term.coefficient % constant.getValue())
      return std::nullopt;
    term.coefficient /= constant.getValue();
    return term;
  }
  auto *factor = llvm::find(term.factors, divisor);
  if (factor == term.factors.end())
    return std::nullopt;
  term.factors.erase(factor);
  return term;
}

AffineExpr triton_shared::sumTerms(ArrayRef<AffineTerm> terms,
                                   MLIRContext *context) {
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (const AffineTerm &term : terms) {
    AffineExpr product = getAffineConstantExpr(1, context);
    for (AffineExpr factor : term.factors)
      product = product * factor;
    sum = sum + product * term.coefficient;
  }
  return sum;
}

AffineExpr triton_shared::normalize(AffineExpr expr) {
  std::optional<Terms> terms = expandTerms(expr);
  return terms ? sumTerms(*terms, expr.getContext()) : AffineExpr();
}

// The library's own operators fold constants without a look at overflow, so
// these work on terms.

AffineExpr triton_shared::add(AffineExpr lhs, AffineExpr rhs) {
  Terms terms = getTerms(lhs);
  llvm::append_range(terms, getTerms(rhs));
  std::optional<Terms> sum = merge(std::move(terms));
  return sum ? sumTerms(*sum, lhs.getContext()) : AffineExpr();
}

AffineExpr triton_shared::multiply(AffineExpr lhs, AffineExpr rhs) {
  std::optional<Terms> product = multiplyTerms(getTerms(lhs), getTerms(rhs));
  return product ? sumTerms(*product, lhs.getContext()) : AffineExpr();
}

AffineExpr triton_shared::subtract(AffineExpr lhs, AffineExpr rhs) {
  AffineExpr minus = multiply(rhs, getAffineConstantExpr(-1, rhs.getContext()));
  return minus ? add(lhs, minus) : AffineExpr();
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

IndexRange triton_shared::getRange(AffineExpr expr, LeafRange leafRange) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return IndexRange::constant(cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::DimId:
  case AffineExprKind::SymbolId:
    return leafRange(expr);
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  IndexRange lhs = getRange(binary.getLHS(), leafRange);
  IndexRange rhs = getRange(binary.getRHS(), leafRange);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return floorDivide(lhs, rhs);
  case AffineExprKind::Mod:
    return remainder(lhs, rhs);
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

namespace {

/// `dividend = divisor * quotient + rest`.
struct Division {
  AffineExpr quotient, rest;
};

} // namespace

/// `term / divisor` if that has no remainder.
static std::optional<AffineTerm> divideExactly(const AffineTerm &term,
                                               const AffineTerm &divisor) {
  if (term.coefficient % divisor.coefficient != 0)
    return std::nullopt;
  AffineTerm quotient{term.coefficient / divisor.coefficient, term.factors};
  for (AffineExpr factor : divisor.factors) {
    auto *place = llvm::find(quotient.factors, factor);
    if (place == quotient.factors.end())
      return std::nullopt;
    quotient.factors.erase(place);
  }
  return quotient;
}

/// Moves every term that `divisor` divides into the quotient, and as much of
/// the constant as leaves a rest in [0, divisor).
static Division divideTerms(ArrayRef<AffineTerm> terms,
                            const AffineTerm &divisor, MLIRContext *context) {
  Terms quotient, rest;
  for (const AffineTerm &term : terms) {
    if (std::optional<AffineTerm> exact = divideExactly(term, divisor)) {
      quotient.push_back(*exact);
    } else if (term.factors.empty() && divisor.factors.empty()) {
      int64_t floor =
          llvm::divideFloorSigned(term.coefficient, divisor.coefficient);
      quotient.push_back({floor, {}});
      rest.push_back({term.coefficient - floor * divisor.coefficient, {}});
    } else {
      rest.push_back(term);
    }
  }
  return {sumTerms(quotient, context), sumTerms(rest, context)};
}

/// `expr = step * count + rest` for the largest `step` that divides `divisor`
/// and leaves a rest in [0, step).
static std::optional<std::pair<int64_t, Division>>
findStep(ArrayRef<AffineTerm> terms, int64_t divisor, LeafRange ranges,
         MLIRContext *context) {
  std::optional<std::pair<int64_t, Division>> best;
  for (const AffineTerm &term : terms) {
    int64_t step = std::gcd(term.coefficient, divisor);
    if (term.factors.empty() || step <= 1 || (best && best->first >= step))
      continue;
    Division division = divideTerms(terms, {step, {}}, context);
    if (getRange(division.rest, ranges).isWithin(0, step - 1))
      best = {step, division};
  }
  return best;
}

/// Both results of the division, simplified.
static std::optional<std::pair<AffineExpr, AffineExpr>>
divide(AffineExpr expr, AffineExpr divisor, LeafRange ranges) {
  MLIRContext *context = expr.getContext();
  std::optional<Terms> terms = expandTerms(expr);
  std::optional<Terms> divisorTerms = expandTerms(divisor);
  if (!terms || !divisorTerms)
    return std::nullopt;
  Division division{getAffineConstantExpr(0, context), expr};
  if (divisorTerms->size() == 1 && divisorTerms->front().coefficient > 0)
    division = divideTerms(*terms, divisorTerms->front(), context);

  int64_t least = getRange(divisor, ranges).low;
  if (getRange(division.rest, ranges)
          .isWithin(0, std::max(least, int64_t(1)) - 1))
    return {{division.quotient, division.rest}};

  AffineExpr quotient = division.rest.floorDiv(divisor);
  AffineExpr rest = division.rest % divisor;
  if (auto constant = dyn_cast<AffineConstantExpr>(divisor)) {
    std::optional<Terms> restTerms = expandTerms(division.rest);
    if (restTerms) {
      if (auto step =
              findStep(*restTerms, constant.getValue(), ranges, context)) {
        int64_t reduced = constant.getValue() / step->first;
        quotient = step->second.quotient.floorDiv(reduced);
        rest =
            (step->second.quotient % reduced) * step->first + step->second.rest;
      }
    }
  }
  return {{division.quotient + quotient, rest}};
}

AffineExpr triton_shared::floorDivide(AffineExpr expr, AffineExpr divisor,
                                      LeafRange ranges) {
  auto results = divide(expr, divisor, ranges);
  return results ? normalize(results->first) : AffineExpr();
}

AffineExpr triton_shared::remainder(AffineExpr expr, AffineExpr divisor,
                                    LeafRange ranges) {
  auto results = divide(expr, divisor, ranges);
  return results ? normalize(results->second) : AffineExpr();
}
