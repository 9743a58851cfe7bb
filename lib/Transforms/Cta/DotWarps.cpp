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

static WarpGrid chooseWarpGrid(cta::DotOp dot, cta::MmaAttr mma,
                               unsigned numWarps) {
  ArrayRef<int64_t> shape = cta::getTile(dot.getResult()).getShape();
  unsigned rows = llvm::Log2_64(shape[0] / mma.getM());
  unsigned columns = llvm::Log2_64(shape[1] / mma.getN());
  unsigned left = llvm::Log2_32(numWarps);
  WarpGrid grid;
  bool rowsFirst = mayBeChained(dot);
  while (left > 0 && (grid.rowBits < rows || grid.columnBits < columns)) {
    // Otherwise as square as possible: each warp reads as little as possible.
    int64_t rowsPerWarp = shape[0] >> grid.rowBits;
    int64_t columnsPerWarp = shape[1] >> grid.columnBits;
    bool takesRow =
        grid.rowBits < rows && (rowsFirst || grid.columnBits == columns ||
                                rowsPerWarp >= columnsPerWarp);
    ++(takesRow ? grid.rowBits : grid.columnBits);
    --left;
  }
  grid.freeBits = left;
  return grid;
}

LinearLayout triton_shared::chooseDotLayout(cta::DotOp dot, unsigned numWarps) {
  ArrayRef<int64_t> shape = cta::getTile(dot.getResult()).getShape();
  if (std::optional<cta::MmaAttr> mma = dot.getInstruction())
    return cta::getResultLayout(shape, *mma,
                                chooseWarpGrid(dot, *mma, numWarps));
  SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return LinearLayout::getBlocked(shape, order, kColumnsPerThread, numWarps);
}
