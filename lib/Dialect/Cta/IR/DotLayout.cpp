//===- DotLayout.cpp - How tensor cores hold matrices ---------------------===//

#include "triton-shared/Dialect/Cta/IR/DotLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cta;

/// Neighbours of one row that each thread computes without tensor cores.
static constexpr unsigned kColumnsPerThread = 4;

std::optional<MmaInstruction> cta::getMmaInstruction(DotOp dot) {
  Type a = getElementTypeOrSelf(dot.getA()),
       b = getElementTypeOrSelf(dot.getB());
  Type sum = getElementTypeOrSelf(dot.getType());
  RankedTensorType result = getTile(dot.getResult());
  if (a != b || result.getRank() != 2)
    return std::nullopt;
  std::optional<MmaInstruction> mma;
  if (a.isF16() && sum.isF32())
    mma = {16, 8, 16, 2, "f16", "f32"};
  else if (a.isBF16() && sum.isF32())
    mma = {16, 8, 16, 2, "bf16", "f32"};
  else if (a.isInteger(8) && sum.isInteger(32))
    mma = {16, 8, 32, 4, "s8", "s32"};
  else if (a.isF32() && sum.isF32() && dot.getPrecision() == "tf32")
    mma = {16, 8, 8, 1, "tf32", "f32"};
  else if (a.isF64() && sum.isF64())
    mma = {8, 8, 4, 1, "f64", "f64"};
  if (!mma || result.getDimSize(0) < mma->m || result.getDimSize(1) < mma->n ||
      getTile(dot.getA()).getDimSize(1) < mma->k)
    return std::nullopt;
  return mma;
}

//===----------------------------------------------------------------------===//
// Building layouts
//===----------------------------------------------------------------------===//

namespace {

/// How the warps of a CTA share the rows and columns of a result: bits of the
/// warp's number, rows first.
struct WarpGrid {
  unsigned rowBits, columnBits, freeBits;
};

/// Collects the bases of a layout of two dimensions.
struct MatrixBases {
  /// Dimension 0 are the rows, 1 the columns.
  static Coordinates along(unsigned dim, int32_t step) {
    return dim == 0 ? Coordinates{step, 0} : Coordinates{0, step};
  }

  /// Steps `from`, twice that and so on below `to`, as registers.
  void addRegisters(unsigned dim, int32_t from, int32_t to) {
    for (int32_t step = from; step < to; step *= 2)
      registers.push_back(along(dim, step));
  }
  /// The same as lanes.
  void addLanes(unsigned dim, int32_t from, int32_t to) {
    for (int32_t step = from; step < to; step *= 2)
      lanes.push_back(along(dim, step));
  }
  /// Steps of the warps along rows and columns of the result; those of 0 hold
  /// the same.
  void addWarps(const WarpGrid &grid, int32_t rowStep, int32_t columnStep) {
    for (unsigned bit = 0; bit < grid.rowBits; ++bit)
      warps.push_back(along(0, rowStep << bit));
    for (unsigned bit = 0; bit < grid.columnBits; ++bit)
      warps.push_back(along(1, columnStep << bit));
    warps.append(grid.freeBits, Coordinates{0, 0});
  }

  LinearLayout get() const { return LinearLayout(2, registers, lanes, warps); }

  LinearLayout::Bases registers, lanes, warps;
};

} // namespace

/// True if the function has several products: the result of one is likely to
/// become an operand of another, and then a row should stay within one warp.
static bool mayBeChained(DotOp dot) {
  unsigned count = 0;
  dot->getParentOfType<func::FuncOp>().walk([&](DotOp) { ++count; });
  return count > 1;
}

static WarpGrid getWarpGrid(DotOp dot, const MmaInstruction &mma,
                            unsigned numWarps) {
  ArrayRef<int64_t> shape = getTile(dot.getResult()).getShape();
  unsigned rows = llvm::Log2_64(shape[0] / mma.m);
  unsigned columns = llvm::Log2_64(shape[1] / mma.n);
  unsigned left = llvm::Log2_32(numWarps);
  WarpGrid grid = {0, 0, 0};
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

/// The warps of the result's layout, read back.
static WarpGrid readWarpGrid(const LinearLayout &result) {
  WarpGrid grid = {0, 0, 0};
  for (const Coordinates &basis : result.getWarps())
    ++(basis[0] ? grid.rowBits : basis[1] ? grid.columnBits : grid.freeBits);
  return grid;
}

/// The result of `mma` on a tile of `shape`.
static LinearLayout getResultLayout(ArrayRef<int64_t> shape,
                                    const MmaInstruction &mma,
                                    const WarpGrid &grid) {
  // Lanes in groups of four hold neighbouring pairs of one row.
  MatrixBases bases;
  bases.addRegisters(1, 1, 2);
  bases.addRegisters(0, 8, mma.m);
  bases.addLanes(1, 2, 8);
  bases.addLanes(0, 1, 8);
  bases.addWarps(grid, mma.m, mma.n);
  bases.addRegisters(1, mma.n << grid.columnBits, shape[1]);
  bases.addRegisters(0, mma.m << grid.rowBits, shape[0]);
  return bases.get();
}

LinearLayout cta::getDotLayout(DotOp dot, unsigned numWarps) {
  ArrayRef<int64_t> shape = getTile(dot.getResult()).getShape();
  if (std::optional<MmaInstruction> mma = getMmaInstruction(dot))
    return getResultLayout(shape, *mma, getWarpGrid(dot, *mma, numWarps));
  SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return LinearLayout::getBlocked(shape, order, kColumnsPerThread, numWarps);
}

/// `common` is the dimension that both operands have; the other one is that of
/// the result, in which the warps lie.
static LinearLayout getOperandLayout(DotOp dot, const MmaInstruction &mma,
                                     Value operand, unsigned common) {
  ArrayRef<int64_t> shape = getTile(operand).getShape();
  unsigned own = 1 - common;
  int32_t size = own == 0 ? mma.m : mma.n;
  int32_t word = mma.perRegister;
  WarpGrid grid = readWarpGrid(getLayout(dot.getType()));
  MatrixBases bases;
  bases.addRegisters(common, 1, word);
  bases.addRegisters(own, 8, size);
  bases.addRegisters(common, 4 * word, mma.k);
  bases.addLanes(common, word, 4 * word);
  bases.addLanes(own, 1, 8);
  bases.addWarps(grid, own == 0 ? size : 0, own == 1 ? size : 0);
  bases.addRegisters(common, mma.k, shape[common]);
  bases.addRegisters(own, size << (own == 0 ? grid.rowBits : grid.columnBits),
                     shape[own]);
  return bases.get();
}

LinearLayout cta::getLeftOperandLayout(DotOp dot, const MmaInstruction &mma) {
  return getOperandLayout(dot, mma, dot.getA(), /*common=*/1);
}

LinearLayout cta::getRightOperandLayout(DotOp dot, const MmaInstruction &mma) {
  return getOperandLayout(dot, mma, dot.getB(), /*common=*/0);
}

std::optional<MmaInstruction> cta::getReadyInstruction(DotOp dot) {
  std::optional<MmaInstruction> mma = getMmaInstruction(dot);
  if (!mma)
    return std::nullopt;
  LinearLayout result = getLayout(dot.getType());
  bool isReady =
      result == getResultLayout(getTile(dot.getResult()).getShape(), *mma,
                                readWarpGrid(result)) &&
      getLayout(dot.getA().getType()) == getLeftOperandLayout(dot, *mma) &&
      getLayout(dot.getB().getType()) == getRightOperandLayout(dot, *mma);
  return isReady ? mma : std::nullopt;
}
