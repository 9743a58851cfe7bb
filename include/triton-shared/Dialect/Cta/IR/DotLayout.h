//===- DotLayout.h - How tensor cores hold matrices -------------*- C++ -*-===//
//
// An `mma.sync` instruction multiplies small matrices whose elements lie in
// fixed lanes and registers. A tile is cut into such matrices: the bits of its
// coordinates that the instruction knows come first, those of further matrices
// follow as warps and registers.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_CTA_IR_DOTLAYOUT_H
#define TRITON_SHARED_DIALECT_CTA_IR_DOTLAYOUT_H

#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::cta {

/// How the warps of a CTA share the rows and columns of a result: bits of the
/// warp's number, rows first. Warps that differ in the free bits alone compute
/// the same.
struct WarpGrid {
  unsigned rowBits = 0, columnBits = 0, freeBits = 0;
};

/// The layout of a result of `shape` that `mma` computes.
LinearLayout getResultLayout(ArrayRef<int64_t> shape, MmaAttr mma,
                             const WarpGrid &grid);

/// The warps of such a layout.
WarpGrid readWarpGrid(const LinearLayout &result);

/// The layouts in which the instruction takes the operands of `dot`, which has
/// one and whose result has its layout.
LinearLayout getLeftOperandLayout(DotOp dot);
LinearLayout getRightOperandLayout(DotOp dot);

} // namespace mlir::cta

#endif // TRITON_SHARED_DIALECT_CTA_IR_DOTLAYOUT_H
