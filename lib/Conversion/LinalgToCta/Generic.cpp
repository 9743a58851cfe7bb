//===- Generic.cpp - linalg.generic to operations on tiles ----------------===//
//
// A parallel loop over the elements becomes its body on whole tiles: `arith`
// and `math` as they are, loop indices as `cta.iota`, reads of another tensor
// as `cta.lookup`. A body with loops or branches stays one, in `cta.map`.
//
//===----------------------------------------------------------------------===//

#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Operations of a body that read the loop's index or another tensor.
bool isSpecial(Operation &op) {
  return isa<linalg::IndexOp, tensor::ExtractOp>(op);
}

/// `source`, read through `map`, as a tile of the shape of the loops: its
/// dimensions in the order of the loops, the others of size one, then repeated.
Value readThroughMap(OpBuilder &builder, Location loc, Value source,
                     AffineMap map, ArrayRef<int64_t> loops) {
  auto type = cast<RankedTensorType>(source.getType());
  if (map.isIdentity() && type.getShape() == loops)
    return source;

  // Constant dimensions have size one and go away.
  SmallVector<unsigned> loopOfDim;
  SmallVector<int64_t> shape;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      loopOfDim.push_back(dim.getPosition());
      shape.push_back(size);
    }
  auto reshape = [&](ArrayRef<int64_t> to) {
    auto reshaped = RankedTensorType::get(to, type.getElementType());
    if (reshaped != source.getType())
      source = cta::ReshapeOp::create(builder, loc, reshaped, source);
  };
  reshape(shape);

  SmallVector<int64_t> order(loopOfDim.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order,
             [&](int64_t a, int64_t b) { return loopOfDim[a] < loopOfDim[b]; });
  if (!llvm::is_sorted(order)) {
    SmallVector<int64_t> moved =
        llvm::map_to_vector(order, [&](int64_t dim) { return shape[dim]; });
    source = cta::TransposeOp::create(
        builder, loc, RankedTensorType::get(moved, type.getElementType()),
        source, order);
  }

  SmallVector<int64_t> spread(loops.size(), 1);
  for (auto [dim, size] : llvm::zip_equal(loopOfDim, shape))
    spread[dim] = size;
  reshape(spread);
  auto result = RankedTensorType::get(loops, type.getElementType());
  if (source.getType() == result)
    return source;
  return cta::BroadcastOp::create(builder, loc, result, source);
}

/// Each dimension is one loop or the constant 0, and no loop is named twice.
bool isReadable(AffineMap map) {
  llvm::SmallBitVector seen(map.getNumDims());
  for (AffineExpr expr : map.getResults()) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      if (constant.getValue() != 0)
        return false;
      continue;
    }
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || seen.test(dim.getPosition()))
      return false;
    seen.set(dim.getPosition());
  }
  return true;
}

struct ConvertGeneric : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumParallelLoops() != op.getNumLoops())
      return rewriter.notifyMatchFailure(op, "is not a parallel loop");
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      bool isOutput = op.isDpsInit(&operand);
      if (isOutput ? !map.isIdentity() : !isReadable(map))
        return rewriter.notifyMatchFailure(op, "reads or writes by a map that "
                                               "is no permutation of loops");
    }
    SmallVector<int64_t> loops = op.getStaticLoopRanges();
    SmallVector<Value> tiles;
    for (OpOperand &operand : op->getOpOperands())
      tiles.push_back(readThroughMap(rewriter, op.getLoc(), operand.get(),
                                     op.getMatchingIndexingMap(&operand),
                                     loops));
    Block &body = op.getRegion().front();
    if (cta::isElementwise(body, isSpecial))
      rewriter.replaceOp(op, inlineBody(op, body, tiles, rewriter));
    else
      rewriter.replaceOp(op, keepBody(op, tiles, rewriter));
    return success();
  }

private:
  static SmallVector<Value> inlineBody(linalg::GenericOp op, Block &body,
                                       ValueRange tiles, OpBuilder &builder) {
    TileBody how(cast<RankedTensorType>(op->getResult(0).getType()));
    auto special = [&](OpBuilder &b, Operation &inner,
                       ValueRange operands) -> Value {
      RankedTensorType type =
          withElements(cast<RankedTensorType>(op->getResult(0).getType()),
                       inner.getResult(0).getType());
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        return cta::IotaOp::create(b, inner.getLoc(), type, index.getDim());
      if (!isa<tensor::ExtractOp>(inner))
        return nullptr;
      return createLookup(b, inner.getLoc(), type, operands);
    };
    return cta::cloneElementwise(builder, body, tiles, how.get(special));
  }

  /// `operands` are a tensor and its indices, tiles or scalars.
  static Value createLookup(OpBuilder &builder, Location loc,
                            RankedTensorType type, ValueRange operands) {
    SmallVector<Value> indices;
    for (Value index : operands.drop_front()) {
      if (!isa<RankedTensorType>(index.getType()))
        index = cta::SplatOp::create(
            builder, loc, withElements(type, index.getType()), index);
      indices.push_back(index);
    }
    return cta::LookupOp::create(builder, loc, type, operands.front(), indices);
  }

  /// The loop indices become further sources.
  static ResultRange keepBody(linalg::GenericOp op, SmallVector<Value> tiles,
                              PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Block &body = op.getRegion().front();
    SmallVector<linalg::IndexOp> indices(body.getOps<linalg::IndexOp>());
    for (linalg::IndexOp index : indices) {
      tiles.push_back(cta::IotaOp::create(
          rewriter, loc, withElements(type, rewriter.getIndexType()),
          index.getDim()));
      Value element = body.addArgument(rewriter.getIndexType(), loc);
      rewriter.replaceOp(index, element);
    }
    auto map = cta::MapOp::create(rewriter, loc, op->getResultTypes(), tiles);
    rewriter.inlineRegionBefore(op.getRegion(), map.getBody(),
                                map.getBody().end());
    Operation *yield = map.getBody().front().getTerminator();
    rewriter.setInsertionPoint(yield);
    rewriter.replaceOpWithNewOp<cta::YieldOp>(yield, yield->getOperands());
    return map->getResults();
  }
};

/// The loop along which a generic unpacks bytes becomes a dimension.
struct ConvertUnpacking : OpRewritePattern<linalg::GenericOp> {
  ConvertUnpacking(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto dim = op->getAttrOfType<IntegerAttr>(tts::kUnpacksE2M1);
    if (!dim)
      return rewriter.notifyMatchFailure(op, "unpacks nothing");
    rewriter.replaceOpWithNewOp<cta::UnpackE2M1Op>(
        op, op->getResultTypes().front(), op.getInputs().front(),
        static_cast<int64_t>(dim.getInt()));
    return success();
  }
};

struct ConvertFill : OpRewritePattern<linalg::FillOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::FillOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<cta::SplatOp>(op, op->getResultTypes(),
                                              op.getInputs().front());
    return success();
  }
};

} // namespace

void triton_shared::populateLinalgToCtaGeneric(RewritePatternSet &patterns) {
  patterns.add<ConvertGeneric, ConvertUnpacking, ConvertFill>(
      patterns.getContext());
}
