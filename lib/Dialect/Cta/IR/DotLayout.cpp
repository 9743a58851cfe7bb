//===- DotLayout.cpp - How products hold matrices -------------------------===//

#include "triton-shared/Dialect/Cta/IR/DotLayout.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

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
  /// Rows of the warps that execute one instruction.
  void addWarpRows(int32_t from, int32_t to) {
    for (int32_t step = from; step < to; step *= 2)
      warps.push_back(along(0, step));
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

namespace {

/// The matrices of one instruction.
struct Matrices {
  int32_t rows, columns, depth;
  /// Of the rows, those that one warp holds.
  int32_t rowsOfWarp;
  /// Neighbours along K in one register.
  int32_t word;
};

} // namespace

/// Rows of a matrix of `wgmma` that lie in one warp.
static constexpr int32_t kWarpgroupRows = 16;

static Matrices getMatrices(Attribute instruction, int64_t elementBytes) {
  if (auto mma = dyn_cast<MmaAttr>(instruction)) {
    auto rows = static_cast<int32_t>(mma.getM());
    return {rows, static_cast<int32_t>(mma.getN()),
            static_cast<int32_t>(mma.getK()), rows,
            static_cast<int32_t>(mma.getPerRegister())};
  }
  auto wgmma = cast<WgmmaAttr>(instruction);
  constexpr int32_t kRegisterBytes = 4;
  return {static_cast<int32_t>(wgmma.getM()),
          static_cast<int32_t>(wgmma.getN()),
          static_cast<int32_t>(wgmma.getK()), kWarpgroupRows,
          static_cast<int32_t>(kRegisterBytes / elementBytes)};
}

/// How far along K an instruction for f64 of 16 rows goes, if there is one.
static std::optional<unsigned> findLargeF64Depth(DotOp dot) {
  constexpr int64_t kRows = 16, kLeastDepth = 4, kMostDepth = 16;
  auto function = dot->getParentOfType<FunctionOpInterface>();
  int64_t depth = getTile(dot.getA()).getShape().back();
  bool isLarge =
      getTile(dot.getResult()).getDimSize(0) >= kRows && depth >= kLeastDepth;
  if (!isLarge || !function || !getTarget(function).hasLargeF64Matrices())
    return std::nullopt;
  return std::min(depth, kMostDepth);
}

MmaAttr cta::findMma(DotOp dot) {
  Builder builder(dot.getContext());
  Type operand = DotOp::getOperandElementType(dot.getA());
  Type sum = getElementTypeOrSelf(dot.getType());
  auto get = [&](unsigned m, unsigned n, unsigned k, Type type) {
    return MmaAttr::get(dot.getContext(), m, n, k, type);
  };
  if (operand != DotOp::getOperandElementType(dot.getB()))
    return nullptr;
  if ((operand.isF16() || operand.isBF16()) && sum.isF32())
    return get(16, 8, 16, operand);
  if (operand.isInteger(8) && sum.isInteger(32))
    return get(16, 8, 32, operand);
  if (operand.isF32() && sum.isF32() && dot.getPrecision() == "tf32")
    return get(16, 8, 8, builder.getTF32Type());
  if (operand.isF64() && sum.isF64()) {
    std::optional<unsigned> depth = findLargeF64Depth(dot);
    return depth ? get(16, 8, *depth, operand) : get(8, 8, 4, operand);
  }
  return nullptr;
}

unsigned cta::getCommonWarpBits(Attribute instruction) {
  return isa<WgmmaAttr>(instruction)
             ? llvm::Log2_32(triton_shared::GpuTarget::kWarpgroupWarps)
             : 0;
}

WarpGrid cta::readWarpGrid(const LinearLayout &result, Attribute instruction) {
  WarpGrid grid;
  for (const Coordinates &basis :
       ArrayRef(result.getWarps()).drop_front(getCommonWarpBits(instruction)))
    ++(basis[0] ? grid.rowBits : basis[1] ? grid.columnBits : grid.freeBits);
  return grid;
}

LinearLayout cta::getResultLayout(ArrayRef<int64_t> shape,
                                  Attribute instruction, const WarpGrid &grid) {
  Matrices sizes = getMatrices(instruction, /*elementBytes=*/1);
  // Lanes in groups of four hold neighbouring pairs of one row.
  MatrixBases bases;
  bases.addRegisters(1, 1, 2);
  bases.addRegisters(0, 8, sizes.rowsOfWarp);
  bases.addRegisters(1, 8, sizes.columns);
  bases.addLanes(1, 2, 8);
  bases.addLanes(0, 1, 8);
  bases.addWarpRows(sizes.rowsOfWarp, sizes.rows);
  bases.addWarps(grid, sizes.rows, sizes.columns);
  bases.addRegisters(1, sizes.columns << grid.columnBits, shape[1]);
  bases.addRegisters(0, sizes.rows << grid.rowBits, shape[0]);
  return bases.get();
}

/// `common` is the dimension that both operands have; the other one is that of
/// the result, in which the warps lie.
static LinearLayout getOperandLayout(DotOp dot, Value operand,
                                     unsigned common) {
  Attribute instruction = dot.getInstructionAttr();
  RankedTensorType tile = getTile(operand);
  Matrices sizes = getMatrices(instruction, getElementBytes(tile));
  ArrayRef<int64_t> shape = tile.getShape();
  unsigned own = 1 - common;
  int32_t size = own == 0 ? sizes.rows : sizes.columns;
  int32_t sizeOfWarp = own == 0 ? sizes.rowsOfWarp : sizes.columns;
  WarpGrid grid = readWarpGrid(getLayout(dot.getType()), instruction);
  MatrixBases bases;
  bases.addRegisters(common, 1, sizes.word);
  bases.addRegisters(own, 8, sizeOfWarp);
  bases.addRegisters(common, 4 * sizes.word, sizes.depth);
  bases.addLanes(common, sizes.word, 4 * sizes.word);
  bases.addLanes(own, 1, 8);
  if (own == 0)
    bases.addWarpRows(sizeOfWarp, size);
  bases.addWarps(grid, own == 0 ? size : 0, own == 1 ? size : 0);
  bases.addRegisters(common, sizes.depth, shape[common]);
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

LinearLayout cta::getFactorLayout(DotOp dot, OpOperand &operand,
                                  int64_t depth) {
  LinearLayout sums = getLayout(dot.getType());
  unsigned alongK = DotOp::getCommonDim(operand);
  LinearLayout ofStep = sums.collapseDimensions({alongK});
  LinearLayout::Bases registers;
  for (int64_t step = 1; step < depth; step *= 2)
    registers.push_back(getStep(sums.getRank(), alongK, step));
  llvm::append_range(registers, ofStep.getRegisters());
  return LinearLayout(sums.getRank(), registers, ofStep.getLanes(),
                      ofStep.getWarps());
}

LinearLayout cta::getFactorLayout(DotOp dot, OpOperand &operand) {
  return getFactorLayout(
      dot, operand,
      DotOp::getOperandShape(operand.get())[DotOp::getCommonDim(operand)]);
}
