//===- DotWarps.cpp - How warps share a matrix product --------------------===//

#include "DotWarps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;
using cta::WarpGrid;

/// Without tensor cores: bits of the neighbours of a row, and of a column, that
/// each thread computes. In about as many rows as columns, it reads the least.
static constexpr unsigned kNeighbourBits = 2;

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

namespace {

/// Hands out the bits of the coordinates of a tile along one dimension.
class DimensionBits {
public:
  DimensionBits(unsigned rank, unsigned dim, int64_t size)
      : rank(rank), dim(dim), end(llvm::Log2_64(size)) {}

  unsigned countLeft() const { return end - next; }

  /// The next `count` of them, the smallest first, or as many as there are.
  void take(unsigned count, LinearLayout::Bases &bases) {
    for (count = std::min(count, countLeft()); count > 0; --count)
      bases.push_back(getBasis(next++));
  }
  /// The last `count`, which are there.
  void takeLast(unsigned count, LinearLayout::Bases &bases) {
    for (unsigned bit = end -= count; count > 0; --count)
      bases.push_back(getBasis(bit++));
  }

private:
  cta::Coordinates getBasis(unsigned bit) const {
    return cta::getStep(rank, dim, 1 << bit);
  }

  unsigned rank, dim, next = 0, end;
};

} // namespace

/// How threads share the sums of a product that they compute.
static LinearLayout shareSums(ArrayRef<int64_t> shape, unsigned numWarps,
                              bool rowsFirst) {
  unsigned rank = shape.size(), warpBits = llvm::Log2_32(numWarps);
  DimensionBits columns(rank, rank - 1, shape[rank - 1]),
      rows(rank, rank - 2, shape[rank - 2]),
      batch(rank, 0, rank > 2 ? shape[0] : 1);
  unsigned threadBits = cta::kLaneBits + warpBits;
  unsigned bits = columns.countLeft() + rows.countLeft() + batch.countLeft();
  LinearLayout::Bases registers, lanes, warps;
  // No thread is idle for the neighbours of another.
  unsigned spare = bits - std::min(bits, threadBits);
  columns.take(std::min(kNeighbourBits, spare), registers);
  spare -= registers.size();
  rows.take(std::min(kNeighbourBits, spare), registers);
  // Shared memory serves halves of a warp together if neighbouring lanes want
  // the same of it: one of them in the other row, then one in other columns.
  for (DimensionBits *dim : {&rows, &columns, &columns, &rows, &columns})
    dim->take(1, lanes);
  for (DimensionBits *dim : {&rows, &columns, &batch})
    dim->take(cta::kLaneBits - lanes.size(), lanes);
  lanes.resize(cta::kLaneBits, cta::Coordinates(rank, 0));
  WarpGrid grid = shareResult(shape.take_back(2), rows.countLeft(),
                              columns.countLeft(), warpBits, rowsFirst);
  rows.takeLast(grid.rowBits, warps);
  columns.takeLast(grid.columnBits, warps);
  batch.take(grid.freeBits, warps);
  warps.resize(warpBits, cta::Coordinates(rank, 0));
  for (DimensionBits *dim : {&columns, &rows, &batch})
    dim->take(dim->countLeft(), registers);
  return LinearLayout(rank, registers, lanes, warps);
}

LinearLayout triton_shared::chooseDotLayout(cta::DotOp dot, unsigned numWarps) {
  ArrayRef<int64_t> shape = cta::getTile(dot.getResult()).getShape();
  if (Attribute instruction = dot.getInstructionAttr())
    return cta::getResultLayout(shape, instruction,
                                chooseWarpGrid(dot, numWarps));
  return shareSums(shape, numWarps, mayBeChained(dot));
}
