//===- TileDots.cpp - Dots by tiles in registers --------------------------===//
//
// A tile of the result stays in registers while the innermost loop goes along
// the summed-up dimension: a row of the right operand and one element of each
// row of the left one are loaded for each round of multiplications. The block
// of the kernel may have any shape; the tile depends on the registers.
//
//===----------------------------------------------------------------------===//

#include "DotGroups.h"
#include "DotOperands.h"
#include "DotPrefetcher.h"
#include "MatrixTiles.h"
#include "VectorLoops.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"

namespace mlir::triton_shared {
#define GEN_PASS_DECL_CPUTILEDOTS
#define GEN_PASS_DEF_CPUTILEDOTS
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// A tile of the result: rows, and vectors of columns.
struct Tile {
  int64_t rows, vectors, lanes;

  /// The tile itself, a row of the right operand, an element of the left one.
  int64_t registers() const { return rows * vectors + vectors + 1; }
};

/// The tile that does the most multiplications for each load. Block sizes are
/// powers of two, and so are tiles, so that no part of a block is left over.
Tile chooseTile(int64_t rows, int64_t columns, int64_t lanes,
                int64_t registers) {
  Tile best = {1, 1, lanes};
  double bestRatio = 0;
  for (int64_t vectors = 1; vectors * lanes <= columns; vectors *= 2)
    for (int64_t height = 1; height <= rows; height *= 2) {
      Tile tile = {height, vectors, lanes};
      bool fits = tile.registers() < registers && rows % height == 0 &&
                  columns % (vectors * lanes) == 0;
      double ratio = double(height * vectors) / double(height + vectors);
      if (fits && ratio > bestRatio) {
        best = tile;
        bestRatio = ratio;
      }
    }
  return best;
}

/// The instruction that multiplies pairs and adds them to `lanes` sums.
std::string getPairInstruction(Type sum, int64_t lanes) {
  StringRef name = sum.isF32() ? "llvm.x86.avx512bf16.dpbf16ps."
                               : "llvm.x86.avx512.vpdpwssd.";
  return (name + Twine(lanes * 32)).str();
}

/// Builds one tile: `row` and `column` are its place in the result.
class TileBuilder {
public:
  TileBuilder(const Dot &dot, Tile tile, bool hasFma)
      : dot(dot), tile(tile), hasFma(hasFma) {}

  void build(OpBuilder &builder, Value row, Value column) {
    Location loc = dot.loc;
    rows = buildPlaces(builder, loc, row, tile.rows, 1);
    columns = buildPlaces(builder, loc, column, tile.vectors, tile.lanes);
    vectorType = VectorType::get(tile.lanes, dot.getType());
    SmallVector<Value> start;
    for (Value i : rows)
      for (Value j : columns)
        start.push_back(loadSum(builder, i, j));
    auto loop = scf::ForOp::create(
        builder, loc, constant(builder, 0),
        constant(builder, dot.depth / dot.form.together), constant(builder, 1),
        start, [&](OpBuilder &inner, Location at, Value k, ValueRange sums) {
          scf::YieldOp::create(inner, at, buildStep(inner, k, sums));
        });
    auto sum = loop.getResults().begin();
    for (Value i : rows)
      for (Value j : columns)
        vector::StoreOp::create(builder, loc, *sum++, dot.result,
                                ValueRange{i, j});
  }

private:
  /// Vectors multiply one element at once, or two.
  bool isPaired() const { return dot.form.together == 2; }

  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, dot.loc, value);
  }

  /// Adds the products of place, or pair of places, `k` to the tile.
  SmallVector<Value> buildStep(OpBuilder &builder, Value k, ValueRange sums) {
    SmallVector<Value> right;
    for (Value j : columns)
      right.push_back(loadRight(builder, k, j));
    SmallVector<Value> next;
    for (Value i : rows) {
      Value left = loadLeft(builder, i, k);
      for (Value vector : right)
        next.push_back(multiplyAdd(builder, left, vector, sums[next.size()]));
    }
    return next;
  }

  Value loadSum(OpBuilder &builder, Value i, Value j) {
    if (dot.start)
      return vector::BroadcastOp::create(builder, dot.loc, vectorType,
                                         dot.start);
    return vector::LoadOp::create(builder, dot.loc, vectorType, dot.result,
                                  ValueRange{i, j});
  }

  /// A vector for each sum of the tile: elements, or pairs of them.
  VectorType getFactorType() {
    Type element = cast<MemRefType>(dot.right.getType()).getElementType();
    return VectorType::get(dot.form.together * tile.lanes, element);
  }

  Value loadRight(OpBuilder &builder, Value k, Value j) {
    if (isPaired())
      j = arith::MulIOp::create(builder, dot.loc, j, constant(builder, 2));
    return vector::LoadOp::create(builder, dot.loc, getFactorType(), dot.right,
                                  ValueRange{k, j});
  }

  Value loadLeft(OpBuilder &builder, Value i, Value k) {
    Location loc = dot.loc;
    if (!isPaired()) {
      Value element =
          memref::LoadOp::create(builder, loc, dot.left, ValueRange{i, k});
      return vector::BroadcastOp::create(builder, loc, vectorType, element);
    }
    // A pair goes to all lanes as one number.
    Value first = arith::MulIOp::create(builder, loc, k, constant(builder, 2));
    VectorType type = getFactorType();
    Value pair = vector::LoadOp::create(
        builder, loc, VectorType::get(2, type.getElementType()), dot.left,
        ValueRange{i, first});
    Type number = builder.getI32Type();
    Value whole = vector::BitCastOp::create(builder, loc,
                                            VectorType::get(1, number), pair);
    Value lanes = vector::BroadcastOp::create(
        builder, loc, VectorType::get(tile.lanes, number),
        vector::ExtractOp::create(builder, loc, whole, 0));
    return vector::BitCastOp::create(builder, loc, type, lanes);
  }

  Value multiplyAdd(OpBuilder &builder, Value left, Value right, Value sum) {
    Location loc = dot.loc;
    if (isPaired())
      return LLVM::CallIntrinsicOp::create(
                 builder, loc, vectorType,
                 builder.getStringAttr(
                     getPairInstruction(dot.getType(), tile.lanes)),
                 ValueRange{sum, left, right})
          .getResult(0);
    if (isa<IntegerType>(dot.getType())) {
      Value product = arith::MulIOp::create(builder, loc, left, right);
      return arith::AddIOp::create(builder, loc, sum, product);
    }
    if (hasFma)
      return math::FmaOp::create(builder, loc, left, right, sum);
    Value product = arith::MulFOp::create(builder, loc, left, right);
    return arith::AddFOp::create(builder, loc, sum, product);
  }

  const Dot &dot;
  Tile tile;
  bool hasFma;
  VectorType vectorType;
  SmallVector<Value> rows, columns;
};

struct CpuTileDots : triton_shared::impl::CpuTileDotsBase<CpuTileDots> {
  using CpuTileDotsBase::CpuTileDotsBase;

  void runOnOperation() override {
    answers.clear();
    SmallVector<linalg::GenericOp> dots;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isDot(op))
        dots.push_back(op);
    });
    // Only registers of matrices gain by it.
    auto mayWait = [&](linalg::GenericOp dot) {
      return getTileForm(dot, getSupport()).has_value();
    };
    for (const DotGroup &group : groupDots(dots, mayWait))
      tileDots(group);
  }

private:
  void tileDots(const DotGroup &group) {
    linalg::GenericOp op = group.front();
    unsigned bytes =
        op.getBody()->getArgument(2).getType().getIntOrFloatBitWidth() / 8;
    int64_t columns = getColumns(op);
    int64_t lanes = std::min<int64_t>(vectorBytes / bytes, columns & -columns);
    if (lanes < 2)
      return;
    OpBuilder builder(group.back());
    Value start = takeStart(op);
    auto buildByVectors = [&](OpBuilder &inner) {
      // Instructions for pairs take whole registers, of 128 bits at least.
      DotForm form = lanes >= 4 ? getVectorForm(op, getSupport()) : DotForm();
      buildGroup(inner, group, form, start, [&](OpBuilder &b, auto dots) {
        for (const Dot &dot : dots)
          buildTiles(b, dot,
                     chooseTile(dot.rows, dot.columns, lanes, registers),
                     hasFma);
      });
    };
    std::optional<DotForm> form = getTileForm(op, getSupport());
    std::optional<MatrixTiles> tiles =
        form ? MatrixTiles::choose(op.getStaticLoopRanges(), *form)
             : std::nullopt;
    if (tiles)
      scf::IfOp::create(
          builder, op.getLoc(),
          askForMatrixTiles(op->getParentOfType<func::FuncOp>()),
          [&](OpBuilder &inner, Location at) {
            buildGroup(inner, group, *form, start,
                       [&](OpBuilder &b, auto dots) {
                         buildMatrixTiles(b, dots, *tiles);
                       });
            scf::YieldOp::create(inner, at);
          },
          [&](OpBuilder &inner, Location at) {
            buildByVectors(inner);
            scf::YieldOp::create(inner, at);
          });
    else
      buildByVectors(builder);
    for (linalg::GenericOp member : group)
      member.erase();
  }

  DotSupport getSupport() const {
    return {hasBf16Pairs, hasInt16Pairs, hasBf16Tiles, hasInt8Tiles};
  }

  /// Calls `build` for the dots of a group, for each batch if there are
  /// several.
  void buildGroup(OpBuilder &builder, const DotGroup &group,
                  const DotForm &form, Value start,
                  function_ref<void(OpBuilder &, ArrayRef<Dot>)> build) {
    SmallVector<Dot> dots;
    for (linalg::GenericOp member : group)
      forEachDot(builder, member, form,
                 member == group.front() ? start : Value(), vectorBytes,
                 [&](OpBuilder &inner, const Dot &dot) {
                   dots.push_back(dot);
                   if (dots.size() == group.size())
                     build(inner, std::exchange(dots, {}));
                 });
  }

  /// True where the system lets the process use registers of matrices; a
  /// function asks once, before its loops.
  Value askForMatrixTiles(func::FuncOp function) {
    Value &answer = answers[function];
    if (answer)
      return answer;
    Location loc = function.getLoc();
    auto builder = OpBuilder::atBlockBegin(&function.front());
    func::FuncOp ask = declareRuntimeFunction(builder, function,
                                              "tritonSharedMayUseMatrixTiles",
                                              {}, builder.getI32Type());
    Value said =
        func::CallOp::create(builder, loc, ask, ValueRange()).getResult(0);
    answer = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, said,
        arith::ConstantIntOp::create(builder, loc, 0, 32));
    return answer;
  }

  static void buildTiles(OpBuilder &builder, const Dot &dot, Tile tile,
                         bool hasFma) {
    int64_t tileColumns = tile.vectors * tile.lanes;
    DotPrefetcher prefetcher(builder, dot, tile.rows, tileColumns);
    // Columns outside: a strip of the right operand stays in the first cache
    // while all rows of the left one go by.
    buildLoops(
        builder, dot.loc, {dot.columns, dot.rows}, {tileColumns, tile.rows},
        [&](OpBuilder &inner, ArrayRef<Value> place) {
          prefetcher.build(inner, place[1], place[0]);
          TileBuilder(dot, tile, hasFma).build(inner, place[1], place[0]);
        });
  }

  /// What functions were told, by the function.
  DenseMap<Operation *, Value> answers;
};

} // namespace
