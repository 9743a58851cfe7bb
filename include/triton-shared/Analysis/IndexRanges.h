//===- IndexRanges.h - What values an index can take ------------*- C++ -*-===//
//
// Closed intervals of integers, and the upstream range analysis told what it
// cannot know about a Triton program.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_INDEXRANGES_H
#define TRITON_SHARED_ANALYSIS_INDEXRANGES_H

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"

#include <cstdint>
#include <limits>

namespace mlir::triton_shared {

/// All integers from `low` to `high`. The smallest and the largest 64-bit value
/// stand for "no bound known".
struct IndexRange {
  static constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  static constexpr int64_t highest = std::numeric_limits<int64_t>::max();

  int64_t low = lowest, high = highest;

  static IndexRange constant(int64_t value) { return {value, value}; }

  bool isNonNegative() const { return low >= 0; }
  bool isWithin(int64_t least, int64_t most) const {
    return low >= least && high <= most;
  }
};

IndexRange operator+(IndexRange lhs, IndexRange rhs);
IndexRange operator*(IndexRange lhs, IndexRange rhs);

/// Euclidean quotient and remainder by a positive divisor.
IndexRange floorDivide(IndexRange dividend, IndexRange divisor);
IndexRange remainder(IndexRange dividend, IndexRange divisor);

/// What is taken for granted about the scalars that signed indices are divided
/// by: that they are sizes, so positive, or nothing.
enum class DivisorSign { Positive, Unknown };

/// The upstream analysis under the assumptions of Triton's address arithmetic:
///   - sums and products of signed 32- and 64-bit indices do not overflow;
///   - what `DivisorSign` says;
///   - what the kernel says by `tl.assume` of a value, compared with a number,
///     in the block where it computes the value;
/// with the sources of indices (program ids, ranges) and the operations that
/// only move elements around added.
class IndexRangeAnalysis : public dataflow::IntegerRangeAnalysis {
public:
  explicit IndexRangeAnalysis(DataFlowSolver &solver,
                              DivisorSign sign = DivisorSign::Positive)
      : IntegerRangeAnalysis(solver), sign(sign) {}

  LogicalResult initialize(Operation *top) override;

  LogicalResult visitOperation(
      Operation *op,
      ArrayRef<const dataflow::IntegerValueRangeLattice *> operands,
      ArrayRef<dataflow::IntegerValueRangeLattice *> results) override;

  void setToEntryState(dataflow::IntegerValueRangeLattice *lattice) override;

  /// True if the kernel says in which range `value` is.
  bool isAssumed(Value value) const { return assumed.contains(value); }

private:
  LogicalResult
  visitOnce(Operation *op,
            ArrayRef<const dataflow::IntegerValueRangeLattice *> operands,
            ArrayRef<dataflow::IntegerValueRangeLattice *> results);

  DivisorSign sign;
  DenseMap<Value, IndexRange> assumed;
  /// How often the range of a result has grown.
  DenseMap<const dataflow::IntegerValueRangeLattice *, unsigned> numChanges;
};

/// The range that `solver` found for an integer, or for all elements of a
/// tensor of integers.
IndexRange getSolvedRange(const DataFlowSolver &solver, Value value);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_INDEXRANGES_H
