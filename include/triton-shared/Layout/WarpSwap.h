//===- WarpSwap.h - A warp's registers and lanes swapped --------*- C++ -*-===//
//
// A conversion within warps where half of the lanes need other registers than
// the other half: a bit of the register's number and one of the lane's change
// places. For each pair of registers a lane asks two others, one after the
// other, in the order in which nobody is asked for two things at once.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LAYOUT_WARPSWAP_H
#define TRITON_SHARED_LAYOUT_WARPSWAP_H

#include "triton-shared/Layout/LinearLayout.h"

namespace mlir::cta {

/// Of two layouts that give each warp the same elements.
struct WarpSwap {
  /// Registers of the result that differ in this bit are a pair. They lie in
  /// different lanes of the source.
  unsigned pairBit;
  /// Further bits of the result's registers, in which neither lanes nor pairs
  /// differ: what differs in them alone can go as one word.
  llvm::SmallVector<unsigned> wordBits;
  /// By register of the result: the register of the source in which lanes have
  /// it that give to an even lane.
  llvm::SmallVector<unsigned> registers;
  /// What changes in its number for an odd lane.
  unsigned oddRegister;
  /// Bits of the lane's number: of an odd lane, an odd number of them is set.
  /// In the first round odd lanes ask for the second register of each pair.
  unsigned oddLanes;
  /// By the first register of a pair and the lane that asks, the lane that is
  /// asked in the first round: a layout of one dimension.
  LinearLayout lanes;
  /// What changes in the number of that lane in the second round.
  unsigned secondLane;
  /// A lane with an odd number of these bits gives of the second register of a
  /// pair in place of the first; of some pairs (`isTurned`), one with an even
  /// number of them.
  unsigned givers;

  bool isOdd(unsigned lane) const;
  bool isTurned(unsigned first) const;
  /// The register of the source that a lane gives in a round, 0 or 1, for the
  /// pair that begins with `first`.
  unsigned getGiven(unsigned first, unsigned round, bool givesSecond) const;
};

/// The swap that converts from `from` to `to` with so many elements to a word,
/// a power of two; nothing if elements change warps, or if more than one bit
/// of the registers changes places with one of the lanes.
std::optional<WarpSwap> findWarpSwap(const LinearLayout &from,
                                     const LinearLayout &to, unsigned perWord);

} // namespace mlir::cta

#endif // TRITON_SHARED_LAYOUT_WARPSWAP_H
