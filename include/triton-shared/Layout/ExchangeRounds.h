//===- ExchangeRounds.h - A tile that goes from thread to thread in rounds ===//
//
// Where a register of a thread stands for a bit of a coordinate before and
// after an exchange, and nothing else does, elements that differ in this bit
// have nothing to do with each other: half of the tile may be exchanged first,
// in half of the room, and then the other half.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LAYOUT_EXCHANGEROUNDS_H
#define TRITON_SHARED_LAYOUT_EXCHANGEROUNDS_H

#include "triton-shared/Layout/LinearLayout.h"

namespace mlir::cta {

/// A bit of a coordinate, and the bits of the register index that stand for it.
struct RoundBit {
  unsigned from, to;
  Coordinates basis;
};

/// Those that rounds may tell apart, the last registers first: the first ones
/// are neighbours, which go together.
llvm::SmallVector<RoundBit> findRoundBits(const LinearLayout &from,
                                          const LinearLayout &to);

/// An exchange in as many rounds as `bits` have values: what one of them moves.
struct ExchangeRounds {
  llvm::SmallVector<RoundBit> bits;
  /// Of what is exchanged in a round, without these bits.
  llvm::SmallVector<int64_t> shape;
  LinearLayout from, to;

  ExchangeRounds(llvm::ArrayRef<int64_t> whole, const LinearLayout &from,
                 const LinearLayout &to, llvm::ArrayRef<RoundBit> bits);

  unsigned count() const { return 1u << bits.size(); }
  /// The registers that a thread gives in a round, in the order of `from`.
  llvm::SmallVector<unsigned> getGiven(unsigned round) const;
  /// Those that it gets, in the order of `to`.
  llvm::SmallVector<unsigned> getTaken(unsigned round) const;
};

} // namespace mlir::cta

#endif // TRITON_SHARED_LAYOUT_EXCHANGEROUNDS_H
