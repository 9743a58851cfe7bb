//===- SharedLayout.h - Where elements lie in shared memory -----*- C++ -*-===//
//
// A tile in shared memory is linear over GF(2), too: each bit of an element's
// offset stands for coordinates, and a swizzle is a bit that stands for those
// of two dimensions. Together with the layout of registers it says which
// offsets a thread touches, and so which banks a warp does.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LAYOUT_SHAREDLAYOUT_H
#define TRITON_SHARED_LAYOUT_SHAREDLAYOUT_H

#include "triton-shared/Layout/LinearLayout.h"

namespace mlir::cta {

/// How the pieces of a row change places, so that those of one column lie in
/// different banks: piece `p` of row `r` lies where piece
/// `p ^ (r / rowsPerStep % steps)` would.
struct Swizzle {
  /// Neighbours that stay together.
  unsigned piece = 1;
  unsigned rowsPerStep = 1;
  unsigned steps = 1;
};

class SharedLayout {
public:
  using Bases = LinearLayout::Bases;

  SharedLayout() = default;

  /// `offsets[k]` are the coordinates that bit `k` of an offset stands for; all
  /// together stand for each element once.
  SharedLayout(unsigned rank, Bases offsets);

  /// Neighbours along `order[0]`, the rows' direction, lie side by side; rows
  /// follow along `order[1]`, and so on.
  static SharedLayout get(llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<unsigned> order,
                          const Swizzle &swizzle = {});

  /// Row-major, and nothing changes places.
  static SharedLayout getRowMajor(llvm::ArrayRef<int64_t> shape);

  unsigned getRank() const { return rank; }
  const Bases &getOffsets() const { return offsets; }

  /// True if each element of a tile of `shape` has one offset.
  bool covers(llvm::ArrayRef<int64_t> shape) const;

  /// The offset of an element, in elements.
  int32_t getOffset(const Coordinates &coordinates) const;

  /// The offsets of what a thread holds under `held`: a layout of one
  /// dimension.
  LinearLayout place(const LinearLayout &held) const;

  /// Dimension `i` of the result is `permutation[i]` of this layout.
  SharedLayout transpose(llvm::ArrayRef<int64_t> permutation) const;

  bool operator==(const SharedLayout &other) const {
    return rank == other.rank && offsets == other.offsets;
  }

private:
  unsigned rank = 0;
  Bases offsets;
  /// The offset of each bit of each coordinate.
  llvm::SmallVector<llvm::SmallVector<int32_t>> ofCoordinates;
};

} // namespace mlir::cta

#endif // TRITON_SHARED_LAYOUT_SHAREDLAYOUT_H
