//===- DotWarps.cpp - How warps share a matrix product --------------------===//

#include "DotWarps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;
using cta::WarpGrid;

/// Neighbours of one row that each thread computes without tensor cores.
static constexpr unsigned kColumnsPerThread = 4;

/// True if the function has several products: the result of one is likely to
/// become an operand of another, and then a row should stay within one warp.
static bool mayBeChained(cta::DotOp dot) {
  unsigned count = 0;
  dot->getParentOfType<func::FuncOp>().walk([&](cta::DotOp) { ++count; });
  return count > 1;
}

/// `rows` and `columns` are the bits that the warps of a result can share.
static WarpGrid shareResult(ArrayRef<int64_t> shape, unsigned rows,
                            unsigned columns, unsigned bits, bool rowsFirst) {
  WarpGrid grid;
  while (bits > 0 && (grid.rowBits < rows || grid.columnBits < columns)) {
    // Otherwise as square as possible: each warp reads as little as possible.
    int64_t rowsPerWarp = shape[0] >> grid.rowBits;
    int64_t columnsPerWarp = shape[1] >> grid.columnBits;
    bool takesRow =
        grid.rowBits < rows && (rowsFirst || grid.columnBits == columns ||
                                rowsPerWarp >= columnsPerWarp);
    ++(takesRow ? grid.rowBits : grid.columnBits);
    --bits;
  }
  grid.freeBits = bits;
  return grid;
}

static WarpGrid chooseWarpGrid(cta::DotOp dot, unsigned numWarps) {
  ArrayRef<int64_t> shape = cta::getTile(dot.getResult()).getShape();
  unsigned bits = llvm::Log2_32(numWarps) -
                  cta::getCommonWarpBits(dot.getInstructionAttr());
  if (cta::MmaAttr mma = dot.getMma())
    return shareResult(shape, llvm::Log2_64(shape[0] / mma.getM()),
                       llvm::Log2_64(shape[1] / mma.getN()), bits,
                       mayBeChained(dot));
  // Operands that are in shared memory are read by one instruction for all of
  // its columns.
  cta::WgmmaAttr wgmma = dot.getWgmma();
  return shareResult(shape, llvm::Log2_64(shape[0] / wgmma.getM()),
                     llvm::Log2_64(shape[1] / wgmma.getN()), bits,
                     /*rowsFirst=*/true);
}

LinearLayout triton_shared::chooseDotLayout(cta::DotOp dot, unsigned numWarps) {
  ArrayRef<int64_t> shape = cta::getTile(dot.getResult()).getShape();
  if (Attribute instruction = dot.getInstructionAttr())
    return cta::getResultLayout(shape, instruction,
                                chooseWarpGrid(dot, numWarps));
  SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return LinearLayout::getBlocked(shape, order, kColumnsPerThread, numWarps);
}
