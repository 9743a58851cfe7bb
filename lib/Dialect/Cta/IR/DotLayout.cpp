//===- DotLayout.cpp - How tensor cores hold matrices ---------------------===//

#include "triton-shared/Dialect/Cta/IR/DotLayout.h"

using namespace mlir;
using namespace mlir::cta;

namespace {

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

WarpGrid cta::readWarpGrid(const LinearLayout &result) {
  WarpGrid grid;
  for (const Coordinates &basis : result.getWarps())
    ++(basis[0] ? grid.rowBits : basis[1] ? grid.columnBits : grid.freeBits);
  return grid;
}

LinearLayout cta::getResultLayout(ArrayRef<int64_t> shape, MmaAttr mma,
                                  const WarpGrid &grid) {
  int32_t rows = mma.getM(), columns = mma.getN();
  // Lanes in groups of four hold neighbouring pairs of one row.
  MatrixBases bases;
  bases.addRegisters(1, 1, 2);
  bases.addRegisters(0, 8, rows);
  bases.addLanes(1, 2, 8);
  bases.addLanes(0, 1, 8);
  bases.addWarps(grid, rows, columns);
  bases.addRegisters(1, columns << grid.columnBits, shape[1]);
  bases.addRegisters(0, rows << grid.rowBits, shape[0]);
  return bases.get();
}

/// `common` is the dimension that both operands have; the other one is that of
/// the result, in which the warps lie.
static LinearLayout getOperandLayout(DotOp dot, Value operand,
                                     unsigned common) {
  MmaAttr mma = *dot.getInstruction();
  ArrayRef<int64_t> shape = getTile(operand).getShape();
  unsigned own = 1 - common;
  int32_t size = own == 0 ? mma.getM() : mma.getN();
  int32_t word = mma.getPerRegister(), depth = mma.getK();
  WarpGrid grid = readWarpGrid(getLayout(dot.getType()));
  MatrixBases bases;
  bases.addRegisters(common, 1, word);
  bases.addRegisters(own, 8, size);
  bases.addRegisters(common, 4 * word, depth);
  bases.addLanes(common, word, 4 * word);
  bases.addLanes(own, 1, 8);
  bases.addWarps(grid, own == 0 ? size : 0, own == 1 ? size : 0);
  bases.addRegisters(common, depth, shape[common]);
  bases.addRegisters(own, size << (own == 0 ? grid.rowBits : grid.columnBits),
                     shape[own]);
  return bases.get();
}

LinearLayout cta::getLeftOperandLayout(DotOp dot) {
  return getOperandLayout(dot, dot.getA(), /*common=*/1);
}

LinearLayout cta::getRightOperandLayout(DotOp dot) {
  return getOperandLayout(dot, dot.getB(), /*common=*/0);
}
