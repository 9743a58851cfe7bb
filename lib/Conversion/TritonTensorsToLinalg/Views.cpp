//===- Views.cpp - Operations that only move elements ---------------------===//
//
// A block is made from a scalar by a fill, from its indices by a loop, and from
// another block by a reshape, a transpose or a loop that reads elements again.
//
//===----------------------------------------------------------------------===//

#include "MapElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// Scalars and indices
//===----------------------------------------------------------------------===//

namespace {

struct LowerSplat : OpConversionPattern<tt::SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    if (isa<tt::PointerType>(type.getElementType()))
      return rewriter.notifyMatchFailure(op, "block of pointers");
    rewriter.replaceOp(
        op, createFilledTensor(rewriter, op.getLoc(), type, adaptor.getSrc()));
    return success();
  }
};

struct LowerUnsplat : OpConversionPattern<tt::UnsplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::UnsplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(adaptor.getSrc().getType());
    Value zero = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
    SmallVector<Value> first(type.getRank(), zero);
    rewriter.replaceOpWithNewOp<tensor::ExtractOp>(op, adaptor.getSrc(), first);
    return success();
  }
};

/// Element `i` is `start + i`.
struct LowerMakeRange : OpConversionPattern<tt::MakeRangeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::MakeRangeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type integer = getElementTypeOrSelf(op.getType());
    auto body = [&](OpBuilder &builder, Location loc, ValueRange) {
      Value index = linalg::IndexOp::create(builder, loc, 0);
      Value value = arith::IndexCastOp::create(builder, loc, integer, index);
      if (op.getStart() != 0) {
        Value start = createScalar(builder, loc, integer, op.getStart());
        value = arith::AddIOp::create(builder, loc, value, start);
      }
      return SmallVector<Value>{value};
    };
    rewriter.replaceOp(
        op, mapElements(rewriter, op.getLoc(), op->getResultTypes(), {}, body));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Other shapes of a block
//===----------------------------------------------------------------------===//

/// Reads element 0 wherever the source has size 1 and the result has more.
struct LowerBroadcast : OpConversionPattern<tt::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(adaptor.getSrc().getType());
    auto result = cast<RankedTensorType>(op.getType());
    int64_t rank = result.getRank();

    SmallVector<AffineExpr> read;
    for (int64_t dim = 0; dim < rank; ++dim)
      read.push_back(source.getDimSize(dim) == result.getDimSize(dim)
                         ? rewriter.getAffineDimExpr(dim)
                         : rewriter.getAffineConstantExpr(0));
    SmallVector<AffineMap> maps = {
        AffineMap::get(rank, 0, read, rewriter.getContext()),
        rewriter.getMultiDimIdentityMap(rank)};
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, TypeRange{result}, adaptor.getSrc(),
        createEmptyTensor(rewriter, op.getLoc(), result), maps, loops,
        [](OpBuilder &builder, Location loc, ValueRange elements) {
          linalg::YieldOp::create(builder, loc, elements.front());
        });
    return success();
  }
};

/// `source` with the shape of `type`, elements in row-major order: one collapse
/// or expand where that is enough, otherwise both through one dimension.
Value reshape(OpBuilder &builder, Location loc, Value source,
              RankedTensorType type) {
  auto sourceType = cast<RankedTensorType>(source.getType());
  if (sourceType == type)
    return source;
  std::optional<SmallVector<ReassociationIndices>> groups;
  if (sourceType.getRank() != type.getRank())
    groups = getReassociationIndicesForReshape(sourceType, type);
  if (groups && sourceType.getRank() > type.getRank())
    return tensor::CollapseShapeOp::create(builder, loc, type, source, *groups);
  if (groups)
    return tensor::ExpandShapeOp::create(builder, loc, type, source, *groups);

  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  return reshape(builder, loc, reshape(builder, loc, source, flat), type);
}

template <typename OpTy> struct LowerReshape : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, reshape(rewriter, op.getLoc(), adaptor.getSrc(),
                                   cast<RankedTensorType>(op.getType())));
    return success();
  }
};

struct LowerTrans : OpConversionPattern<tt::TransOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::TransOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> permutation(op.getOrder().begin(),
                                     op.getOrder().end());
    Value empty = createEmptyTensor(rewriter, op.getLoc(),
                                    cast<RankedTensorType>(op.getType()));
    auto transpose = linalg::TransposeOp::create(
        rewriter, op.getLoc(), adaptor.getSrc(), empty, permutation);
    rewriter.replaceOp(op, transpose->getResults());
    return success();
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgViews(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerSplat, LowerUnsplat, LowerMakeRange, LowerBroadcast,
               LowerReshape<tt::ExpandDimsOp>, LowerReshape<tt::ReshapeOp>,
               LowerTrans>(patterns.getContext());
  target.addLegalDialect<linalg::LinalgDialect, tensor::TensorDialect>();
}
