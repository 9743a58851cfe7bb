//===- DotLayout.h - How products hold matrices -----------------*- C++ -*-===//
//
// An `mma.sync` instruction multiplies small matrices whose elements lie in
// fixed lanes and registers of a warp; `wgmma` does of four warps, each of
// which holds 16 rows. A tile is cut into such matrices: the bits of its
// coordinates that the instruction knows come first, those of further matrices
// follow as warps and registers.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_CTA_IR_DOTLAYOUT_H
#define TRITON_SHARED_DIALECT_CTA_IR_DOTLAYOUT_H

#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::cta {

/// How the warps of a CTA, or its groups of four, share the rows and columns of
/// a result: bits of their number, rows first. Those that differ in the free
/// bits alone compute the same.
struct WarpGrid {
  unsigned rowBits = 0, columnBits = 0, freeBits = 0;
};

/// The matrices that `mma.sync` multiplies of the element types of `dot`, be
/// its operands tiles or in buffers; null if there are none.
MmaAttr findMma(DotOp dot);

/// How many bits of a warp's number stand for warps that execute `instruction`,
/// an attribute of `cta.dot`, together.
unsigned getCommonWarpBits(Attribute instruction);

/// The layout of a result of `shape` that `instruction` computes.
LinearLayout getResultLayout(ArrayRef<int64_t> shape, Attribute instruction,
                             const WarpGrid &grid);

/// The warps of such a layout.
WarpGrid readWarpGrid(const LinearLayout &result, Attribute instruction);

/// The layouts in which the instruction takes the operands of `dot` from
/// registers; it has one, and its result has its layout.
LinearLayout getLeftOperandLayout(DotOp dot);
LinearLayout getRightOperandLayout(DotOp dot);

/// What each thread reads of `operand` for `depth` steps along K if `dot` has
/// no instruction: the rows, or columns, of its sums.
LinearLayout getFactorLayout(DotOp dot, OpOperand &operand, int64_t depth);
/// The same for all steps.
LinearLayout getFactorLayout(DotOp dot, OpOperand &operand);

} // namespace mlir::cta

#endif // TRITON_SHARED_DIALECT_CTA_IR_DOTLAYOUT_H
