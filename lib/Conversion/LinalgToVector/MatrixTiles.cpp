//===- MatrixTiles.cpp - Dots by registers that hold matrices -------------===//
//
// A register of AMX has up to 16 rows of 64 bytes: a part of the result in f32,
// rows of the left operand, or rows of the right one in pairs, just as dots in
// pairs have them in memory. One instruction multiplies two of them.
//
//===----------------------------------------------------------------------===//

#include "MatrixTiles.h"

#include "VectorLoops.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Target/CpuTarget.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// What a register holds at most: rows, numbers of 32 bits, and of 16 bits.
static constexpr int64_t kRows = 16, kWords = 16, kHalves = 32;

/// True for what the instruction multiplies.
static bool isOfBf16Pairs(const Dot &dot) {
  return dot.isPaired &&
         cast<MemRefType>(dot.left.getType()).getElementType().isBF16();
}

std::optional<MatrixTiles> MatrixTiles::choose(ArrayRef<Dot> dots) {
  const Dot &dot = dots.front();
  MatrixTiles tiles = {std::min(kRows, dot.rows), std::min(kWords, dot.columns),
                       std::min(kHalves, dot.depth), 1, 1};
  if (!llvm::all_of(dots, isOfBf16Pairs) ||
      tiles.rows < CpuTarget::kLeastTileRows || dot.rows % tiles.rows != 0 ||
      dot.columns % tiles.columns != 0 || dot.depth % tiles.depth != 0)
    return std::nullopt;
  // Four parts of the result, two of each operand.
  if (dot.rows % (2 * tiles.rows) == 0)
    tiles.down = 2;
  if (dot.columns % (2 * tiles.columns) == 0)
    tiles.across = 2;
  return tiles;
}

namespace {

/// Builds the parts of the result that stay in registers together.
class MatrixTileBuilder {
public:
  MatrixTileBuilder(OpBuilder &builder, ArrayRef<Dot> dots,
                    const MatrixTiles &tiles)
      : builder(builder), loc(dots.front().loc), dots(dots), tiles(tiles),
        sumType(amx::TileType::get({tiles.rows, tiles.columns},
                                   builder.getF32Type())) {}

  void build(Value row, Value column) {
    rows = offsets(row, tiles.down, tiles.rows);
    columns = offsets(column, tiles.across, tiles.columns);
    const Dot &first = dots.front();
    SmallVector<Value> sums;
    for (Value i : rows)
      for (Value j : columns)
        sums.push_back(loadSum(first, i, j));
    for (const Dot &dot : dots)
      sums = buildLoop(dot, sums);
    auto sum = sums.begin();
    for (Value i : rows)
      for (Value j : columns)
        amx::TileStoreOp::create(builder, loc, first.result, ValueRange{i, j},
                                 *sum++);
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value twice(Value value) {
    return arith::MulIOp::create(builder, loc, value, constant(2));
  }

  SmallVector<Value> offsets(Value first, int64_t count, int64_t step) {
    SmallVector<Value> all;
    for (int64_t number = 0; number < count; ++number)
      all.push_back(
          arith::AddIOp::create(builder, loc, first, constant(number * step)));
    return all;
  }

  Value loadSum(const Dot &dot, Value i, Value j) {
    if (dot.start)
      return amx::TileZeroOp::create(builder, loc, sumType);
    return amx::TileLoadOp::create(builder, loc, sumType, dot.result,
                                   ValueRange{i, j});
  }

  Value loadFactors(Value matrix, int64_t height, int64_t width, Value i,
                    Value j) {
    auto type = amx::TileType::get(
        {height, width}, cast<MemRefType>(matrix.getType()).getElementType());
    return amx::TileLoadOp::create(builder, loc, type, matrix,
                                   ValueRange{i, j});
  }

  /// Adds all products of `dot`.
  SmallVector<Value> buildLoop(const Dot &dot, ValueRange sums) {
    auto loop = scf::ForOp::create(
        builder, loc, constant(0), constant(dot.depth / 2),
        constant(tiles.depth / 2), sums,
        [&](OpBuilder &inner, Location at, Value pair, ValueRange carried) {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(inner.getInsertionBlock(),
                                    inner.getInsertionPoint());
          scf::YieldOp::create(builder, at, buildStep(dot, pair, carried));
        });
    return SmallVector<Value>(loop.getResults());
  }

  /// Adds the products of pairs from number `pair` on, as many as fit.
  SmallVector<Value> buildStep(const Dot &dot, Value pair, ValueRange sums) {
    SmallVector<Value> left, right, next;
    for (Value i : rows)
      left.push_back(
          loadFactors(dot.left, tiles.rows, tiles.depth, i, twice(pair)));
    for (Value j : columns)
      right.push_back(loadFactors(dot.right, tiles.depth / 2, 2 * tiles.columns,
                                  pair, twice(j)));
    for (Value a : left)
      for (Value b : right)
        next.push_back(amx::TileMulFOp::create(builder, loc, sumType, a, b,
                                               sums[next.size()]));
    return next;
  }

  OpBuilder &builder;
  Location loc;
  ArrayRef<Dot> dots;
  const MatrixTiles &tiles;
  amx::TileType sumType;
  SmallVector<Value> rows, columns;
};

} // namespace

/// Fills the result with what it starts with.
static void fillResult(OpBuilder &builder, const Dot &dot) {
  int64_t lanes = std::min(kWords, dot.columns);
  Value vector = vector::BroadcastOp::create(
      builder, dot.loc, VectorType::get(lanes, dot.getType()), dot.start);
  buildLoops(builder, dot.loc, {dot.rows, dot.columns}, {1, lanes},
             [&](OpBuilder &inner, ArrayRef<Value> place) {
               vector::StoreOp::create(inner, dot.loc, vector, dot.result,
                                       place);
             });
}

void triton_shared::buildMatrixTiles(OpBuilder &builder, ArrayRef<Dot> dots,
                                     const MatrixTiles &tiles) {
  SmallVector<Dot> started(dots);
  Dot &first = started.front();
  if (first.start && !matchPattern(first.start, m_PosZeroFloat())) {
    fillResult(builder, first);
    first.start = nullptr;
  }
  int64_t rows = tiles.down * tiles.rows;
  int64_t columns = tiles.across * tiles.columns;
  // Rows outside: those of the left operand, which may lie so far apart that
  // few of them fit into the first cache together, are read for all columns at
  // once.
  buildLoops(
      builder, first.loc, {first.rows, first.columns}, {rows, columns},
      [&](OpBuilder &inner, ArrayRef<Value> place) {
        MatrixTileBuilder(inner, started, tiles).build(place[0], place[1]);
      });
}
