//===- Shapes.cpp - Views and slices of tensors to tiles ------------------===//
//
// What only renames elements becomes `cta.reshape` or `cta.transpose`. A slice
// is read at coordinates that are computed: `cta.lookup`.
//
//===----------------------------------------------------------------------===//

#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

template <typename OpTy> struct ConvertReshape : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<cta::ReshapeOp>(op, op.getType(), op.getSrc());
    return success();
  }
};

struct ConvertTranspose : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<cta::TransposeOp>(
        op, op->getResultTypes(), ValueRange{op.getInput()},
        ArrayRef<NamedAttribute>{rewriter.getNamedAttr(
            "permutation",
            rewriter.getDenseI64ArrayAttr(op.getPermutation()))});
    return success();
  }
};

struct ConvertExtract : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    if (op->getParentOfType<linalg::GenericOp>())
      return rewriter.notifyMatchFailure(op, "belongs to a loop over elements");
    rewriter.replaceOpWithNewOp<cta::ExtractOp>(
        op, op.getType(), op.getTensor(), op.getIndices());
    return success();
  }
};

/// A tensor of rank 0 holds nothing but what is inserted.
struct ConvertInsertScalar : OpRewritePattern<tensor::InsertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getType().getRank() != 0)
      return rewriter.notifyMatchFailure(op, "writes one of several elements");
    rewriter.replaceOpWithNewOp<cta::SplatOp>(op, op.getType(), op.getScalar());
    return success();
  }
};

/// Elements that nobody has written are zero: any value would do.
template <typename OpTy> struct ConvertEmpty : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    TypedAttr zero = rewriter.getZeroAttr(type);
    if (!zero)
      return rewriter.notifyMatchFailure(op, "has elements without a zero");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
    return success();
  }
};

/// The index along `dim` as `index` elements of a tile like `type`.
Value createIota(OpBuilder &builder, Location loc, RankedTensorType type,
                 int64_t dim) {
  return cta::IotaOp::create(builder, loc,
                             withElements(type, builder.getIndexType()), dim);
}

Value createIndexSplat(OpBuilder &builder, Location loc, RankedTensorType type,
                       OpFoldResult value) {
  return cta::SplatOp::create(
      builder, loc, withElements(type, builder.getIndexType()),
      getValueOrCreateConstantIndexOp(builder, loc, value));
}

/// Of several elements, the one at the index is new.
struct ConvertInsert : OpRewritePattern<tensor::InsertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    if (type.getRank() == 0)
      return rewriter.notifyMatchFailure(op, "makes all of the tensor");
    Location loc = op.getLoc();
    Value isNew;
    for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
      Value isThere =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                createIota(rewriter, loc, type, dim),
                                createIndexSplat(rewriter, loc, type, index));
      isNew = isNew ? arith::AndIOp::create(rewriter, loc, isNew, isThere)
                    : isThere;
    }
    Value inserted = cta::SplatOp::create(rewriter, loc, type, op.getScalar());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNew, inserted,
                                                 op.getDest());
    return success();
  }
};

struct ConvertExtractSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<Value> indices;
    int64_t resultDim = 0;
    for (auto [dim, offset, stride] :
         llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides())) {
      Value index = createIndexSplat(rewriter, loc, type, offset);
      if (!dropped.test(dim)) {
        Value iota = createIota(rewriter, loc, type, resultDim++);
        if (!isConstantIntValue(stride, 1))
          iota = arith::MulIOp::create(
              rewriter, loc, iota,
              createIndexSplat(rewriter, loc, type, stride));
        index = isConstantIntValue(offset, 0)
                    ? iota
                    : arith::AddIOp::create(rewriter, loc, iota, index);
      }
      indices.push_back(index);
    }
    rewriter.replaceOpWithNewOp<cta::LookupOp>(op, type, op.getSource(),
                                               indices);
    return success();
  }
};

/// Elements inside the slice come from what is inserted, the others stay.
struct ConvertInsertSlice : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType part = op.getSourceType();
    RankedTensorType type = op.getType();
    if (part.getRank() != type.getRank())
      return rewriter.notifyMatchFailure(op, "drops dimensions");
    if (llvm::any_of(op.getStaticStrides(), ShapedType::isDynamic))
      return rewriter.notifyMatchFailure(op, "has strides that are no numbers");
    Location loc = op.getLoc();
    Value isInside;
    SmallVector<Value> indices;
    for (auto [dim, offset, stride] :
         llvm::enumerate(op.getMixedOffsets(), op.getStaticStrides())) {
      auto splat = [&](OpFoldResult value) {
        return createIndexSplat(rewriter, loc, type, value);
      };
      Value index = createIota(rewriter, loc, type, dim);
      if (!isConstantIntValue(offset, 0))
        index = arith::SubIOp::create(rewriter, loc, index, splat(offset));
      if (part.getDimSize(dim) != type.getDimSize(dim)) {
        // As an unsigned number, an index before the slice is after it.
        Value end = splat(rewriter.getIndexAttr(part.getDimSize(dim) * stride));
        Value isIn = arith::CmpIOp::create(
            rewriter, loc, arith::CmpIPredicate::ult, index, end);
        Value zero = splat(rewriter.getIndexAttr(0));
        if (stride != 1) {
          Value step = splat(rewriter.getIndexAttr(stride));
          Value rest = arith::RemUIOp::create(rewriter, loc, index, step);
          Value isStep = arith::CmpIOp::create(
              rewriter, loc, arith::CmpIPredicate::eq, rest, zero);
          isIn = arith::AndIOp::create(rewriter, loc, isIn, isStep);
          index = arith::DivUIOp::create(rewriter, loc, index, step);
        }
        index = arith::SelectOp::create(rewriter, loc, isIn, index, zero);
        isInside = isInside
                       ? arith::AndIOp::create(rewriter, loc, isInside, isIn)
                       : isIn;
      }
      indices.push_back(index);
    }
    Value inserted =
        cta::LookupOp::create(rewriter, loc, type, op.getSource(), indices);
    if (isInside)
      inserted = arith::SelectOp::create(rewriter, loc, isInside, inserted,
                                         op.getDest());
    rewriter.replaceOp(op, inserted);
    return success();
  }
};

} // namespace

void triton_shared::populateLinalgToCtaShapes(RewritePatternSet &patterns) {
  patterns.add<ConvertReshape<tensor::ExpandShapeOp>,
               ConvertReshape<tensor::CollapseShapeOp>, ConvertTranspose,
               ConvertExtract, ConvertInsertScalar, ConvertInsert,
               ConvertEmpty<tensor::EmptyOp>,
               ConvertEmpty<bufferization::AllocTensorOp>, ConvertExtractSlice,
               ConvertInsertSlice>(patterns.getContext());
}
