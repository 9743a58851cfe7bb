//===- SharedAccess.h - How a warp reads and writes a tile ------*- C++ -*-===//
//
// Registers that lie side by side are moved together; `ldmatrix` and `stmatrix`
// move four 8x8 matrices of 16-bit elements at once. Shared memory serves 128
// bytes per cycle, from 32 banks of four bytes: what two lanes want from one
// bank at different addresses takes another cycle, a wavefront.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LAYOUT_SHAREDACCESS_H
#define TRITON_SHARED_LAYOUT_SHAREDACCESS_H

#include "triton-shared/Layout/SharedLayout.h"

namespace mlir::cta {

/// Registers that one instruction moves: neighbours in memory, ascending.
using Piece = llvm::SmallVector<unsigned, 4>;

/// All registers of a layout of offsets, in pieces of one size whose first
/// offset is a multiple of that size. No piece is larger than `maxElements`.
llvm::SmallVector<Piece> getPieces(const LinearLayout &placed,
                                   unsigned maxElements);

/// How `ldmatrix` reads a tile, and `stmatrix` writes one.
struct MatrixAccess {
  /// True for `.trans`.
  bool isTransposed;
  /// How many matrices one instruction moves: 1, 2 or 4.
  unsigned numMatrices;
  /// Where each lane names a row, as offsets; one register per instruction.
  LinearLayout rows;
  /// The registers of matrix `m` of instruction `i`, neighbours within
  /// a word of 32 bits: `registers[i * numMatrices + m]`.
  llvm::SmallVector<Piece> registers;
};

/// The way to move elements of `elementBytes` at `placed` by `ldmatrix` or
/// `stmatrix`; nothing if they do not lie in the rows of 16 bytes that these
/// move.
std::optional<MatrixAccess> findMatrixAccess(const LinearLayout &placed,
                                             unsigned elementBytes);

/// The wavefronts that one access of a warp takes: each lane moves `width`
/// neighbours at the offset of its first register.
unsigned countWavefronts(const LinearLayout &placed, unsigned width,
                         unsigned elementBytes);

/// What a warp takes to move all that it holds.
struct MoveCost {
  unsigned wavefronts = 0;
  unsigned instructions = 0;

  /// Wavefronts are the heavier part.
  unsigned getWeight() const { return 2 * wavefronts + instructions; }
};

/// What it takes to move elements of `elementBytes` at `placed` in pieces of at
/// most `maxElements`.
MoveCost getPiecesCost(const LinearLayout &placed, unsigned elementBytes,
                       unsigned maxElements);

/// What it takes to write elements of `elementBytes` at `placed`, on a GPU that
/// has `stmatrix` or not, or to read them.
MoveCost getStoreCost(const LinearLayout &placed, unsigned elementBytes,
                      bool byMatrices = false);
MoveCost getLoadCost(const LinearLayout &placed, unsigned elementBytes);

/// What a tile that is written under `from` and read under `to` costs least in.
/// Each instruction that writes moves at least `minWidth` elements, if any
/// layout lets it; `byMatrices` as for `getStoreCost`.
SharedLayout chooseSharedLayout(llvm::ArrayRef<int64_t> shape,
                                unsigned elementBytes, const LinearLayout &from,
                                const LinearLayout &to, unsigned minWidth = 1,
                                bool byMatrices = false);

} // namespace mlir::cta

#endif // TRITON_SHARED_LAYOUT_SHAREDACCESS_H
