//===- AffineTerms.h - Sums of products in one normal form ------*- C++ -*-===//
//
// MLIR's semi-affine expressions keep `s0 * (d0 + 1)` and `s0 * d0 + s0` apart.
// Here both are the same sum of terms, so that equal indices are equal
// expressions and the coefficient of a dimension can be read off.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_AFFINETERMS_H
#define TRITON_SHARED_ANALYSIS_AFFINETERMS_H

#include "mlir/IR/AffineExpr.h"
#include "triton-shared/Analysis/IndexRanges.h"

namespace mlir::triton_shared {

/// `coefficient * factor * factor * ...`; the factors are dimensions, symbols
/// and quotients or remainders, in a fixed order.
struct AffineTerm {
  int64_t coefficient = 0;
  SmallVector<AffineExpr, 2> factors;
};

/// The terms of `expr` in a fixed order, no two with the same factors; nothing
/// if a coefficient exceeds 64 bits.
std::optional<SmallVector<AffineTerm>> expandTerms(AffineExpr expr);

/// The terms of an expression in normal form.
SmallVector<AffineTerm> getTerms(AffineExpr expr);

/// `term` without a factor `divisor`, which is positive: a constant or another
/// single factor. Nothing if it has none.
std::optional<AffineTerm> divideTerm(AffineTerm term, AffineExpr divisor);

AffineExpr sumTerms(ArrayRef<AffineTerm> terms, MLIRContext *context);

/// The only expression of the project that means `expr`; null if there is none
/// because a coefficient exceeds 64 bits. The same holds for what follows.
AffineExpr normalize(AffineExpr expr);
AffineExpr add(AffineExpr lhs, AffineExpr rhs);
AffineExpr multiply(AffineExpr lhs, AffineExpr rhs);
AffineExpr subtract(AffineExpr lhs, AffineExpr rhs);

/// The values of dimensions and symbols.
using LeafRange = function_ref<IndexRange(AffineExpr)>;

IndexRange getRange(AffineExpr expr, LeafRange leafRange);

/// Euclidean quotient and remainder by a positive divisor, simplified as far as
/// the ranges allow: `(64 * d0 + d1) floordiv 64` is `d0` if `d1 < 64`.
AffineExpr floorDivide(AffineExpr expr, AffineExpr divisor, LeafRange ranges);
AffineExpr remainder(AffineExpr expr, AffineExpr divisor, LeafRange ranges);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_AFFINETERMS_H
