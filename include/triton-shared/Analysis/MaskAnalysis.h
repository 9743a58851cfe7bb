//===- MaskAnalysis.h - Which part of a block a mask lets through *- C++
//-*-===//
//
// A mask is a conjunction. What compares one dimension with something uniform
// is a bound of that dimension, what is uniform switches the whole block, and
// the rest stays a predicate.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_MASKANALYSIS_H
#define TRITON_SHARED_ANALYSIS_MASKANALYSIS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "triton-shared/Analysis/AffineForm.h"

namespace mlir::triton_shared {

/// `low <= i < high` for all of these; uniform.
struct DimensionBounds {
  SmallVector<AffineExpr, 1> lows, highs;
};

/// `expr predicate 0`; uniform.
struct UniformComparison {
  arith::CmpIPredicate predicate;
  AffineExpr expr;
};

/// A value of type i1, or its negation.
struct Predicate {
  Value value;
  bool isNegated = false;
};

/// A mask of which nothing better is known.
struct ResidualMask {
  Predicate predicate; ///< A tensor of the shape of the mask.
  Unstructured why;
};

/// The mask is true where all of this holds.
struct MaskPattern {
  SmallVector<DimensionBounds> dimensions;
  SmallVector<UniformComparison, 1> comparisons;
  SmallVector<Predicate, 1> scalars;
  SmallVector<ResidualMask, 1> residuals;
  bool isNever = false;
};

class MaskAnalysis {
public:
  explicit MaskAnalysis(AffineAnalysis &forms) : forms(forms) {}

  /// `shape` is that of the block, whose elements are those of the mask in the
  /// same order.
  MaskPattern analyze(Value mask, ArrayRef<int64_t> shape);

private:
  /// Where the element of a mask lies, in the dimensions of the block.
  using Place = ArrayRef<AffineExpr>;

  void collect(Predicate mask, Place place);
  bool collectConnective(Predicate mask, Place place);
  bool collectView(Predicate mask, Place place);
  bool mayWrap(const AffineForm &form, unsigned width);
  void collectComparison(arith::CmpIOp compare, bool isNegated, Place place);
  void collectDifference(arith::CmpIPredicate predicate, AffineExpr difference,
                         Predicate mask);
  std::optional<UniformComparison> dropRemainder(arith::CmpIPredicate predicate,
                                                 AffineExpr difference) const;
  bool isDecided(arith::CmpIPredicate predicate, AffineExpr difference);
  bool addBounds(arith::CmpIPredicate predicate, AffineExpr difference);
  bool addNegative(int64_t coefficient, unsigned dim, AffineExpr rest);
  void addResidual(Predicate mask, StringRef reason, AffineExpr expr = nullptr);

  AffineAnalysis &forms;
  SmallVector<int64_t> shape;
  MaskPattern pattern;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_MASKANALYSIS_H
