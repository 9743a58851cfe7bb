//===- Transposes.cpp - Rows that become columns, by squares of vectors ---===//
//
// An element-wise operation that writes rows but reads columns works on squares
// of as many rows as a vector has lanes: it loads vectors along the columns,
// exchanges their elements by shuffles, and goes on row by row.
//
//===----------------------------------------------------------------------===//

#include "VectorBody.h"
#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The loop along which neighbours of `operand` are neighbours in memory;
/// nothing if there is none.
std::optional<unsigned> findUnitLoop(linalg::GenericOp op, OpOperand &operand) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || type.getElementType().isInteger(1) ||
      !map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
      failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  for (auto [result, stride, size] :
       llvm::zip_equal(map.getResults(), strides, type.getShape()))
    if (auto dim = dyn_cast<AffineDimExpr>(result);
        dim && stride == 1 && size != 1)
      return dim.getPosition();
  return std::nullopt;
}

/// How the operation is cut into squares.
struct Squares {
  SmallVector<int64_t> sizes;
  /// Lanes of what is written, and of what is read across.
  unsigned vectorLoop, crossLoop;
  int64_t lanes;
};

std::optional<Squares> chooseSquares(linalg::GenericOp op,
                                     unsigned vectorBytes) {
  if (!op.hasPureBufferSemantics() || op.getNumLoops() < 2 ||
      op.getNumParallelLoops() != op.getNumLoops() || !isVectorizable(op))
    return std::nullopt;
  Squares squares;
  squares.sizes = op.getStaticLoopRanges();
  squares.vectorLoop = op.getNumLoops() - 1;
  if (llvm::any_of(squares.sizes, ShapedType::isDynamic))
    return std::nullopt;
  std::optional<unsigned> crossLoop;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    LaneAccess access = getLaneAccess(op, operand, squares.vectorLoop);
    if (access == LaneAccess::Contiguous ||
        (access == LaneAccess::Invariant && !op.isDpsInit(&operand)))
      continue;
    std::optional<unsigned> unitLoop = findUnitLoop(op, operand);
    if (op.isDpsInit(&operand) || !unitLoop ||
        *unitLoop == squares.vectorLoop || (crossLoop && crossLoop != unitLoop))
      return std::nullopt;
    crossLoop = unitLoop;
  }
  if (!crossLoop)
    return std::nullopt;
  squares.crossLoop = *crossLoop;
  unsigned bytes = getWidestBytes(op);
  squares.lanes = std::min(
      chooseLanes(squares.sizes[squares.vectorLoop], bytes, vectorBytes),
      chooseLanes(squares.sizes[*crossLoop], bytes, vectorBytes));
  if (squares.lanes < 2)
    return std::nullopt;
  return squares;
}

/// `rows`, as many as they have lanes, with rows and columns exchanged. Each
/// step interleaves the first half of the rows with the second one.
SmallVector<Value> transpose(OpBuilder &builder, Location loc,
                             SmallVector<Value> rows) {
  int64_t count = rows.size();
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < count / 2; ++lane) {
    low.append({lane, lane + count});
    high.append({lane + count / 2, lane + count / 2 + count});
  }
  for (int64_t done = 1; done < count; done *= 2) {
    SmallVector<Value> next;
    for (int64_t row = 0; row < count / 2; ++row)
      for (ArrayRef<int64_t> half : {ArrayRef(low), ArrayRef(high)})
        next.push_back(vector::ShuffleOp::create(builder, loc, rows[row],
                                                 rows[row + count / 2], half));
    rows = std::move(next);
  }
  return rows;
}

/// Builds the square at `corner`.
class SquareBuilder {
public:
  SquareBuilder(linalg::GenericOp op, const Squares &squares,
                ArrayRef<Value> corner)
      : op(op), squares(squares), corner(corner) {}

  void build(OpBuilder &builder) {
    SmallVector<SmallVector<Value>> across(op->getNumOperands());
    for (OpOperand &operand : op->getOpOperands())
      if (isAcross(operand))
        across[operand.getOperandNumber()] = loadAcross(builder, operand);
    for (int64_t row = 0; row < squares.lanes; ++row)
      buildRow(builder, row, across);
  }

private:
  bool isAcross(OpOperand &operand) {
    return isa<MemRefType>(operand.get().getType()) &&
           getLaneAccess(op, operand, squares.vectorLoop) == LaneAccess::Other;
  }

  /// The corner, moved by `distance` along `loop`.
  SmallVector<Value> moved(OpBuilder &builder, unsigned loop,
                           int64_t distance) {
    SmallVector<Value> indices(corner);
    Value step = arith::ConstantIndexOp::create(builder, op.getLoc(), distance);
    indices[loop] =
        arith::AddIOp::create(builder, op.getLoc(), indices[loop], step);
    return indices;
  }

  /// The vectors of `operand` for each row of the square.
  SmallVector<Value> loadAcross(OpBuilder &builder, OpOperand &operand) {
    Location loc = op.getLoc();
    Value source = operand.get();
    auto type = cast<MemRefType>(source.getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    // Vectors go along the last dimension of a memref: move it there.
    SmallVector<unsigned> order;
    unsigned unit = 0;
    for (auto [number, result] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      if (dim && dim.getPosition() == squares.crossLoop)
        unit = number;
      else
        order.push_back(number);
    }
    order.push_back(unit);
    AffineMap permutation =
        AffineMap::getPermutationMap(order, builder.getContext());
    Value turned = memref::TransposeOp::create(builder, loc, source,
                                               AffineMapAttr::get(permutation));
    auto vectorType = VectorType::get(squares.lanes, type.getElementType());
    SmallVector<Value> columns;
    for (int64_t lane = 0; lane < squares.lanes; ++lane) {
      SmallVector<Value> place = getPlace(
          builder, op, operand, moved(builder, squares.vectorLoop, lane));
      SmallVector<Value> turnedPlace = llvm::map_to_vector(
          order, [&](unsigned number) { return place[number]; });
      columns.push_back(vector::LoadOp::create(builder, loc, vectorType, turned,
                                               turnedPlace));
    }
    return transpose(builder, loc, std::move(columns));
  }

  void buildRow(OpBuilder &builder, int64_t row,
                ArrayRef<SmallVector<Value>> across) {
    SmallVector<Value> indices = moved(builder, squares.crossLoop, row);
    VectorBody body(op, squares.lanes, squares.vectorLoop, indices);
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      if (!op.payloadUsesValueFromOperand(&operand))
        continue;
      if (isAcross(operand)) {
        body.setArgument(number, across[number][row]);
        continue;
      }
      bool isCommon = isSameForAllLanes(op, operand, squares.vectorLoop);
      body.setArgument(number, loadLanes(builder, op, operand, indices,
                                         isCommon ? 0 : squares.lanes));
    }
    body.build(builder);
    body.storeResults(builder, indices);
  }

  linalg::GenericOp op;
  const Squares &squares;
  SmallVector<Value> corner;
};

struct VectorizeTranspose : OpRewritePattern<linalg::GenericOp> {
  VectorizeTranspose(MLIRContext *context, unsigned vectorBytes)
      : OpRewritePattern(context), vectorBytes(vectorBytes) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Squares> squares = chooseSquares(op, vectorBytes);
    if (!squares)
      return rewriter.notifyMatchFailure(op, "not across");
    SmallVector<int64_t> steps(op.getNumLoops(), 1);
    steps[squares->vectorLoop] = steps[squares->crossLoop] = squares->lanes;
    buildLoops(rewriter, op.getLoc(), squares->sizes, steps,
               [&](OpBuilder &inner, ArrayRef<Value> corner) {
                 SquareBuilder(op, *squares, corner).build(inner);
               });
    rewriter.eraseOp(op);
    return success();
  }

private:
  unsigned vectorBytes;
};

/// A copy between blocks of known size that lie in different ways.
struct GeneralizeCopyAcross : OpRewritePattern<memref::CopyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::CopyOp op,
                                PatternRewriter &rewriter) const override {
    auto source = dyn_cast<MemRefType>(op.getSource().getType());
    auto target = dyn_cast<MemRefType>(op.getTarget().getType());
    if (!source || !target || !source.hasStaticShape() ||
        !target.hasStaticShape() || source.getRank() < 2)
      return rewriter.notifyMatchFailure(op, "no blocks of known size");
    if (source.isLastDimUnitStride())
      return rewriter.notifyMatchFailure(op, "row by row");
    AffineMap identity = rewriter.getMultiDimIdentityMap(source.getRank());
    SmallVector<utils::IteratorType> loops(source.getRank(),
                                           utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, op.getSource(), op.getTarget(), ArrayRef{identity, identity}, loops,
        [](OpBuilder &inner, Location loc, ValueRange elements) {
          linalg::YieldOp::create(inner, loc, elements.front());
        });
    return success();
  }
};

} // namespace

void triton_shared::populateTransposesToVector(RewritePatternSet &patterns,
                                               unsigned vectorBytes) {
  patterns.add<VectorizeTranspose>(patterns.getContext(), vectorBytes);
}

void triton_shared::populateCopiesAcross(RewritePatternSet &patterns) {
  patterns.add<GeneralizeCopyAcross>(patterns.getContext());
}
