//===- PointerAnalysis.h - How a block lies in memory -----------*- C++ -*-===//
//
// Reads the form of a tensor of offsets dimension by dimension.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_POINTERANALYSIS_H
#define TRITON_SHARED_ANALYSIS_POINTERANALYSIS_H

#include "triton-shared/Analysis/AffineForm.h"

#include <variant>

namespace mlir::triton_shared {

/// What one dimension adds to the offset of an element: `stride * index(i)`,
/// where `index(i)` is `i`, `(wrapStart + i) mod wrapSize`, or `indices` at
/// `i`.
struct DimensionPattern {
  AffineExpr stride;                                  ///< Uniform.
  AffineExpr wrapStart = nullptr, wrapSize = nullptr; ///< Uniform.
  AffineExpr indices = nullptr; ///< Depends on this dimension only.

  bool isWrapped() const { return static_cast<bool>(wrapSize); }
  bool isGathered() const { return static_cast<bool>(indices); }
};

struct AccessPattern {
  /// Of the block that has the pattern. It holds the elements of the tensor in
  /// the same order; a flattened index may need more dimensions than the tensor
  /// has: `i % 4 * n + i / 4` is a line in each of two.
  SmallVector<int64_t> shape;
  AffineExpr offset; ///< Uniform.
  SmallVector<DimensionPattern> dimensions;
};

class PointerAnalysis {
public:
  using Result = std::variant<AccessPattern, Unstructured>;

  /// Without `findsWraps`, an index that wraps around is a list of indices.
  explicit PointerAnalysis(AffineAnalysis &forms, bool findsWraps = true)
      : forms(forms), findsWraps(findsWraps) {}

  /// The pattern of a tensor of element offsets. Something is gained by it: at
  /// least one dimension that varies is not gathered, or two are gathered by
  /// themselves.
  Result analyze(Value offsets);

  /// Why `indices`, of a dimension with `size` elements, are no line.
  std::string explainIndices(AffineExpr indices, int64_t size) const;

private:
  using Terms = SmallVector<AffineTerm>;
  Result describeBlock(const AffineForm &form, Value offsets);
  std::optional<AccessPattern> describeSplit(AffineForm form, Value offsets);
  int64_t findPeriod(AffineExpr indices, unsigned dim, int64_t size) const;
  DimensionPattern describe(unsigned dim, ArrayRef<AffineTerm> terms);
  std::optional<DimensionPattern> describeStrided(ArrayRef<AffineTerm> terms);
  std::optional<DimensionPattern> describeWrapped(unsigned dim,
                                                  ArrayRef<AffineTerm> terms);
  DimensionPattern describeGathered(ArrayRef<AffineTerm> terms);
  bool canGather(AffineExpr expr) const;
  static bool isPartlyStrided(const AccessPattern &pattern);
  std::pair<AffineTerm, AffineTerm> splitFactors(const AffineTerm &term) const;

  AffineAnalysis &forms;
  bool findsWraps;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_POINTERANALYSIS_H
