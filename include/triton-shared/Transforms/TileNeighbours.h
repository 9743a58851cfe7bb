//===- TileNeighbours.h - What neighbours in a tile share -------*- C++ -*-===//
//
// Offsets and masks of accesses are tiles that were computed of indices and
// scalars. Where offsets of neighbours ascend one by one, and what is compared
// is the same for them, one instruction may do for several elements.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TRANSFORMS_TILENEIGHBOURS_H
#define TRITON_SHARED_TRANSFORMS_TILENEIGHBOURS_H

#include "triton-shared/Analysis/AccessWidth.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::triton_shared {

/// Of a tile of integers, along one dimension.
struct TileNeighbours {
  /// What an element is more than the one before it: 0 or 1.
  int64_t step;
  /// That holds in groups of so many, which begin at multiples of it.
  int64_t count;
  /// A power of two that divides the first element of each group. One that
  /// ascends begins at a multiple of `count`, and so never wraps around.
  int64_t divisor;
};

/// What is known about neighbours along `dim` of `tile`; `solver` has run
/// `DivisibilityAnalysis`.
std::optional<TileNeighbours> describeNeighbours(const DataFlowSolver &solver,
                                                 Value tile, unsigned dim);

/// How many elements of a block one instruction may move, and for how many of
/// them bounds and mask decide the same.
AccessWidth describeMaskedWidth(const DataFlowSolver &solver,
                                tts::AccessOpInterface access);

/// The same for accesses of every kind: where offsets are a tile, how many
/// elements one instruction may move or update, or load for all of them; all of
/// these take part, or none.
AccessWidth describeWidth(const DataFlowSolver &solver,
                          tts::AccessOpInterface access);

/// The dimension of `from` that is dimension `dim` of `to`, where they differ
/// in dimensions of size 1 at most.
std::optional<unsigned> findReshapedDim(RankedTensorType to,
                                        RankedTensorType from, unsigned dim);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_TILENEIGHBOURS_H
