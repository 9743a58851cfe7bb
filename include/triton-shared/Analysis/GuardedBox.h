//===- GuardedBox.h - Accesses that are a box under a condition -*- C++ -*-===//
//
// Loops that walk over a matrix by pointers know where it ends along K by a
// mask, and along its rows by a remainder: `(start + i) % M`. What they load is
// a box of the tensor wherever the remainder takes nothing away, that is where
// `start` plus the block is at most M. Where along K a turn is, its mask says:
// it ends after K - start elements.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_GUARDEDBOX_H
#define TRITON_SHARED_ANALYSIS_GUARDEDBOX_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Analysis/LaunchNumbers.h"

#include <variant>

namespace mlir::triton_shared {

/// What makes a load a box, if the block does not reach beyond the end of any
/// of its wrapped dimensions.
struct GuardedBox {
  /// For each dimension of the block the size of the tensor along it.
  SmallVector<tts::LaunchNumber> sizes;
  /// The dimension of neighbours.
  unsigned innermost;
};

/// Finds the boxes in the loops of one function. Changes nothing.
class GuardedBoxAnalysis {
public:
  using Result = std::variant<GuardedBox, Unstructured>;

  /// `solver` has run `DivisibilityAnalysis`.
  GuardedBoxAnalysis(FunctionOpInterface function, const DataFlowSolver &solver)
      : numbers(function), solver(solver) {}

  /// `load` stands in the body of `loop`.
  Result analyze(tts::AccessOpInterface load, scf::ForOp loop);

private:
  /// One dimension of the block and of the tensor.
  struct Dimension {
    tts::LaunchNumber size;
    /// What the offset counts of where the box begins, in elements.
    AffineExpr counted;
    /// What its beginning is a multiple of.
    int64_t startDivisor;
  };

  std::variant<Dimension, Unstructured> describe(tts::DimensionAccess dimension,
                                                 Value tile, scf::ForOp loop);
  std::variant<Dimension, Unstructured>
  describeWrapped(tts::DimensionAccess dimension, Value tile, scf::ForOp loop);
  std::optional<tts::LaunchNumber> findWrapSize(Value wrapSize);
  std::optional<AffineExpr> findSize(AffineExpr high);
  AffineExpr unroll(AffineExpr expr, scf::ForOp loop);
  AffineExpr getCarried(BlockArgument carried, scf::ForOp loop);
  bool isInvariant(AffineExpr expr, scf::ForOp loop);
  int64_t getDivisor(Value value);
  int64_t getDivisor(AffineExpr size);

  LaunchNumbers numbers;
  const DataFlowSolver &solver;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_GUARDEDBOX_H
