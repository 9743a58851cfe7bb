//===- MatrixTiles.cpp - Dots by registers that hold matrices -------------===//
//
// A register of AMX has up to 16 rows of 64 bytes: a part of the result, rows
// of the left operand, or rows of the right one, of which several lie in one as
// vectors would have them, too. One instruction multiplies two of them.
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

/// What a register holds at most: rows, and numbers of 32 bits in each.
static constexpr int64_t kRows = 16, kWords = 16;

std::optional<MatrixTiles> MatrixTiles::choose(ArrayRef<int64_t> sizes,
                                               const DotForm &form) {
  sizes = sizes.take_back(3);
  MatrixTiles tiles = {std::min(kRows, sizes[0]), std::min(kWords, sizes[1]),
                       std::min(kWords * form.together, sizes[2]), 1, 1};
  if (tiles.rows < CpuTarget::kLeastTileRows || sizes[0] % tiles.rows != 0 ||
      sizes[1] % tiles.columns != 0 || sizes[2] % tiles.depth != 0)
    return std::nullopt;
  // Four parts of the result, two of each operand.
  if (sizes[0] % (2 * tiles.rows) == 0)
    tiles.down = 2;
  if (sizes[1] % (2 * tiles.columns) == 0)
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
                                   dots.front().getType())),
        together(dots.front().form.together) {}

  void build(Value row, Value column) {
    rows = buildPlaces(builder, loc, row, tiles.down, tiles.rows);
    columns = buildPlaces(builder, loc, column, tiles.across, tiles.columns);
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
  /// The first of the elements in word `number` of a row.
  Value elementOf(Value number) {
    return arith::MulIOp::create(builder, loc, number, constant(together));
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
        builder, loc, constant(0), constant(dot.depth / together),
        constant(tiles.depth / together), sums,
        [&](OpBuilder &inner, Location at, Value word, ValueRange carried) {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(inner.getInsertionBlock(),
                                    inner.getInsertionPoint());
          scf::YieldOp::create(builder, at, buildStep(dot, word, carried));
        });
    return SmallVector<Value>(loop.getResults());
  }

  /// Adds the products from word `word` of rows on, as many as fit.
  SmallVector<Value> buildStep(const Dot &dot, Value word, ValueRange sums) {
    SmallVector<Value> left, right, next;
    for (Value i : rows)
      left.push_back(
          loadFactors(dot.left, tiles.rows, tiles.depth, i, elementOf(word)));
    for (Value j : columns)
      right.push_back(loadFactors(dot.right, tiles.depth / together,
                                  together * tiles.columns, word,
                                  elementOf(j)));
    for (Value a : left)
      for (Value b : right)
        next.push_back(multiply(dot, a, b, sums[next.size()]));
    return next;
  }

  Value multiply(const Dot &dot, Value a, Value b, Value sum) {
    if (isa<FloatType>(dot.getType()))
      return amx::TileMulFOp::create(builder, loc, sumType, a, b, sum);
    return amx::TileMulIOp::create(builder, loc, sumType, a, b, sum,
                                   dot.isLeftUnsigned, dot.isRightUnsigned);
  }

  OpBuilder &builder;
  Location loc;
  ArrayRef<Dot> dots;
  const MatrixTiles &tiles;
  amx::TileType sumType;
  int64_t together;
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
  if (first.start && !matchPattern(first.start, m_PosZeroFloat()) &&
      !matchPattern(first.start, m_Zero())) {
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
