//===- JoinSplit.cpp - tt.join, tt.split and tt.cat -----------------------===//
//
// Two blocks become one, or one becomes two. A join interleaves, so it is a
// loop that picks; a split is two views, a cat two copies.
//
//===----------------------------------------------------------------------===//

#include "MapElements.h"
#include "Parts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// `tt.join` runs over its result and picks by the last index:
///
///   linalg.generic {(d0, d1) -> (d0), (d0, d1) -> (d0), (d0, d1) -> (d0, d1)}
///       ins(%lhs, %rhs) outs(%empty) {
///     %left = arith.cmpi eq, (linalg.index 1), %c0
///     arith.select %left, %in, %in_0
///   }
struct LowerJoin : OpConversionPattern<tt::JoinOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::JoinOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    int64_t last = type.getRank() - 1;
    AffineMap all = rewriter.getMultiDimIdentityMap(type.getRank());
    AffineMap part = all.dropResult(last);
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto pick = [&](OpBuilder &b, Location loc, ValueRange args) {
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Value isLeft =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                linalg::IndexOp::create(b, loc, last), zero);
      Value picked = arith::SelectOp::create(b, loc, isLeft, args[0], args[1]);
      linalg::YieldOp::create(b, loc, picked);
    };
    Value empty = createEmptyTensor(rewriter, loc, type);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, TypeRange{type}, ValueRange{adaptor.getLhs(), adaptor.getRhs()},
        empty, ArrayRef<AffineMap>{part, part, all}, loops, pick);
    return success();
  }
};

/// `tt.split` is two slices without the last dimension.
struct LowerSplit : OpConversionPattern<tt::SplitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::SplitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value src = adaptor.getSrc();
    int64_t last = op.getSrc().getType().getRank() - 1;
    rewriter.replaceOp(op, {extractPlace(rewriter, op.getLoc(), src, last, 0),
                            extractPlace(rewriter, op.getLoc(), src, last, 1)});
    return success();
  }
};

/// `tt.cat` inserts one block after the other along the dimension that grows.
/// The order is the compiler's choice; this one is what a reader expects.
struct LowerCat : OpConversionPattern<tt::CatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::CatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType half = op.getLhs().getType();
    auto [halfSize, wholeSize] =
        std::mismatch(half.getShape().begin(), half.getShape().end(),
                      op.getType().getShape().begin());
    int64_t axis = halfSize - half.getShape().begin();
    if (axis == half.getRank() ||
        !std::equal(halfSize + 1, half.getShape().end(), wholeSize + 1))
      return rewriter.notifyMatchFailure(
          op, "result is not the operands along one dimension");
    Value result = createEmptyTensor(rewriter, loc, op.getType());
    int64_t begin = 0;
    for (Value part : {adaptor.getLhs(), adaptor.getRhs()}) {
      auto type = cast<RankedTensorType>(part.getType());
      SmallVector<OpFoldResult> offsets(type.getRank(),
                                        rewriter.getIndexAttr(0));
      SmallVector<OpFoldResult> strides(type.getRank(),
                                        rewriter.getIndexAttr(1));
      offsets[axis] = rewriter.getIndexAttr(begin);
      result = tensor::InsertSliceOp::create(
          rewriter, loc, part, result, offsets,
          getAsIndexOpFoldResult(rewriter.getContext(), type.getShape()),
          strides);
      begin += type.getDimSize(axis);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgJoinSplit(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerJoin, LowerSplit, LowerCat>(patterns.getContext());
  target.addLegalDialect<linalg::LinalgDialect, tensor::TensorDialect>();
}
