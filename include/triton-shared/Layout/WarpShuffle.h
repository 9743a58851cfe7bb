//===- WarpShuffle.h - A conversion that stays within warps -----*- C++ -*-===//
//
// Where two layouts give each warp the same elements, one shuffle per register
// brings them to their lanes, without shared memory and without a barrier.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LAYOUT_WARPSHUFFLE_H
#define TRITON_SHARED_LAYOUT_WARPSHUFFLE_H

#include "triton-shared/Layout/LinearLayout.h"

namespace mlir::cta {

/// Register `r` of a lane comes from register `registers[r]` of another one.
struct WarpShuffle {
  llvm::SmallVector<unsigned> registers;
  /// The number of that lane, by register and lane: a layout of one dimension.
  LinearLayout lanes;
};

/// The shuffle that converts from `from` to `to`; nothing if elements change
/// warps, or if lanes need elements from different registers at once.
std::optional<WarpShuffle> findWarpShuffle(const LinearLayout &from,
                                           const LinearLayout &to);

} // namespace mlir::cta

#endif // TRITON_SHARED_LAYOUT_WARPSHUFFLE_H
