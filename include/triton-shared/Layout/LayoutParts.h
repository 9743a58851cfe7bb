//===- LayoutParts.h - The layout of a part of a tile -----------*- C++ -*-===//
//
// Where a tile is cut into parts of equal sizes, powers of two, the upper bits
// of coordinates tell the parts apart. If these bits are registers, each thread
// holds the same elements of every part: to take one, or to put them together,
// is a choice of registers.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LAYOUT_LAYOUTPARTS_H
#define TRITON_SHARED_LAYOUT_LAYOUTPARTS_H

#include "triton-shared/Layout/LinearLayout.h"

namespace mlir::cta {

/// A bit of the number of a lane or of a warp.
struct ThreadBit {
  bool isOfWarp;
  unsigned number;
};

/// The bits of a thread's number that tell parts of sizes `part` apart.
llvm::SmallVector<ThreadBit> findThreadBits(const LinearLayout &layout,
                                            llvm::ArrayRef<int64_t> part);

/// True if registers alone do, each of which stands for nothing else.
bool arePartsInRegisters(const LinearLayout &layout,
                         llvm::ArrayRef<int64_t> part);

/// `layout` with what `bit` stands for in register bit `reg`, and the other way
/// round; behind the last one, the thread's bit stands for nothing then.
LinearLayout swapBits(const LinearLayout &layout, ThreadBit bit, unsigned reg);

/// The layout nearest to `layout`, that of a tile of sizes `whole`, that has
/// parts of sizes `part` in registers.
LinearLayout bringPartsIntoRegisters(const LinearLayout &layout,
                                     llvm::ArrayRef<int64_t> whole,
                                     llvm::ArrayRef<int64_t> part);

/// Of one that has them there, the layout of each part.
LinearLayout getPartLayout(const LinearLayout &layout,
                           llvm::ArrayRef<int64_t> part);
/// The layout of a tile whose parts have `layout`.
LinearLayout getWholeLayout(const LinearLayout &layout,
                            llvm::ArrayRef<int64_t> whole,
                            llvm::ArrayRef<int64_t> part);

/// The same elements in each thread, the longest row of neighbours along `dim`
/// in its first registers.
LinearLayout putNeighboursFirst(const LinearLayout &layout, unsigned dim);

} // namespace mlir::cta

#endif // TRITON_SHARED_LAYOUT_LAYOUTPARTS_H
