//===- GuardedBox.h - Accesses that are a box under a condition -*- C++ -*-===//
//
// Loops that walk over a matrix by pointers know where it ends along K by a
// mask, and along its rows by a remainder: `(start + i) % M`. What they load is
// a box of the tensor wherever the remainder takes nothing away, that is where
// `start` plus the block is at most M. Where along K a turn is, its mask says:
// it ends after K - start elements.
//
// Matrices of a batch, and heads of an attention, lie behind each other: what
// the offset has besides is a number of rows, and the box is one of a tensor
// that goes on and on. Then no mask may cut a block, and no turn may begin
// beyond what the coordinates of a box can say.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_GUARDEDBOX_H
#define TRITON_SHARED_ANALYSIS_GUARDEDBOX_H

#include "triton-shared/Analysis/LaunchNumbers.h"
#include "triton-shared/Analysis/LoopForms.h"

#include <variant>

namespace mlir::triton_shared {

/// One dimension of such a box.
struct GuardedDimension {
  /// Of the tensor.
  tts::LaunchNumber size;
  /// Where the box begins in a tensor that goes on and on; nothing where the
  /// load's own bounds or remainder say so.
  std::optional<LinearForm> start = std::nullopt;
  /// If that has bounds as well: where it begins in a matrix of `matrixSize`.
  std::optional<LinearForm> startInMatrix = std::nullopt;
  tts::LaunchNumber matrixSize = tts::LaunchNumber::constant(0);
  /// Wrapped: nobody minds what is beyond the tensor's end instead of its first
  /// rows. That such a box begins where coordinates reach, the launch sees to:
  /// it makes no map of a tensor with more than `kMostStart` rows.
  bool mayReachOver = false;
  /// Where the box begins in a tensor that ends where the load's bounds say, if
  /// more is known of that than of the bounds.
  std::optional<LinearForm> startInBounds = std::nullopt;
};

/// What makes a load a box, if the block does not reach beyond the end of a
/// matrix, nor of its wrapped dimensions but those that may, and begins within
/// `kMostStart` in all turns.
struct GuardedBox {
  /// Coordinates are 32 bits, and a block lies behind the last.
  static constexpr int64_t kMostStart = 1 << 30;

  /// For each dimension of the block.
  SmallVector<GuardedDimension> dimensions;
  /// The dimension of neighbours.
  unsigned innermost;
  /// What the symbols of the forms stand for.
  DenseMap<AffineExpr, Value> values;
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
  /// One dimension of the block and of the matrix in which it lies.
  struct Dimension {
    tts::LaunchNumber stride;
    AffineExpr strideForm;
    /// Nothing if nobody says where it ends.
    std::optional<tts::LaunchNumber> size = std::nullopt;
    bool isWrapped = false;
    /// Where the block begins, and what that is a multiple of.
    AffineExpr start = nullptr;
    int64_t startDivisor = 0;
  };
  using Shares = SmallVector<AffineExpr>;

  std::variant<Dimension, Unstructured> describe(tts::DimensionAccess dimension,
                                                 Value tile, scf::ForOp loop);
  std::optional<Unstructured> describeWrapped(tts::DimensionAccess dimension,
                                              Value tile, scf::ForOp loop,
                                              Dimension &known);
  std::optional<Unstructured> describeBounded(tts::DimensionAccess dimension,
                                              Value tile, Dimension &known);
  std::variant<SmallVector<Dimension>, Unstructured>
  describeAll(tts::AccessOpInterface load, scf::ForOp loop);
  std::optional<Shares> shareOut(tts::AccessOpInterface load,
                                 ArrayRef<Dimension> dimensions,
                                 unsigned innermost, LoopForms &turns);
  bool isEndless(const Dimension &known, AffineExpr share, int64_t size,
                 LoopForms &turns, GuardedDimension &dimension);
  static std::optional<Unstructured>
  checkStrides(tts::AccessOpInterface load, ArrayRef<Dimension> dimensions,
               unsigned innermost);
  AffineExpr getWrapSize(Value wrapSize);
  bool mayReachOver(tts::AccessOpInterface load, unsigned wrapped);
  std::optional<AffineExpr> findSize(AffineExpr high);
  int64_t getDivisor(Value value);
  int64_t getDivisor(AffineExpr expr);
  int64_t getDivisor(const LinearForm &form, scf::ForOp loop);
  std::optional<LinearForm> findBeforeLoop(AffineExpr expr, LoopForms &turns);
  int64_t refineStart(const Dimension &known, LoopForms &turns, scf::ForOp loop,
                      GuardedDimension &dimension);

  LaunchNumbers numbers;
  const DataFlowSolver &solver;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_GUARDEDBOX_H
