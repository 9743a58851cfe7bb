//===- Divisibility.h - Powers of two that divide an integer ----*- C++ -*-===//
//
// How wide a memory access may be depends on what its address is a multiple of.
// The facts start at the hints on kernel arguments (`tt.divisibility`) and flow
// through integer arithmetic, loops, branches, and between addresses and bases.
// Of a tile, they hold for each element.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_DIVISIBILITY_H
#define TRITON_SHARED_ANALYSIS_DIVISIBILITY_H

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::triton_shared {

/// The value is a multiple of `1 << log2`.
class Divisibility {
public:
  /// What zero is a multiple of.
  static constexpr unsigned kMax = 62;

  Divisibility() = default;
  explicit Divisibility(unsigned log2) : log2(std::min(log2, kMax)) {}

  bool isKnown() const { return log2.has_value(); }
  unsigned getLog2() const { return log2.value_or(0); }

  /// What holds for both.
  static Divisibility join(const Divisibility &a, const Divisibility &b);
  bool operator==(const Divisibility &other) const {
    return log2 == other.log2;
  }
  void print(raw_ostream &stream) const;

private:
  std::optional<unsigned> log2;
};

using DivisibilityLattice = dataflow::Lattice<Divisibility>;

class DivisibilityAnalysis
    : public dataflow::SparseForwardDataFlowAnalysis<DivisibilityLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult
  visitOperation(Operation *op, ArrayRef<const DivisibilityLattice *> operands,
                 ArrayRef<DivisibilityLattice *> results) override;
  void setToEntryState(DivisibilityLattice *lattice) override;
  void visitNonControlFlowArguments(Operation *op,
                                    const RegionSuccessor &successor,
                                    ArrayRef<DivisibilityLattice *> lattices,
                                    unsigned firstIndex) override;
};

/// Runs the analysis, and what it builds on, on `root` and all in it.
LogicalResult runDivisibilityAnalysis(DataFlowSolver &solver, Operation *root);

/// The largest power of two, at most `limit`, that `value` is known to be a
/// multiple of. Pointers count in bytes.
int64_t getKnownDivisor(const DataFlowSolver &solver, Value value,
                        int64_t limit);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_DIVISIBILITY_H
