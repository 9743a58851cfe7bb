//===- Slices.cpp - Parts of tensors to parts of tiles --------------------===//
//
// Where a tensor is cut into slices of one size, powers of two, a slice is
// `cta.slice`, and what is put together of them is made by `cta.insert_slice`:
// nothing moves if threads hold the same elements of each. Slices with a stride
// are slices in the shape where that is a dimension.
//
//===----------------------------------------------------------------------===//

#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// One of the parts of sizes `part` of a tile of sizes `whole`.
struct AlignedSlice {
  SmallVector<int64_t> whole, part, offsets;

  void addDim(int64_t size, int64_t partSize, int64_t offset) {
    whole.push_back(size);
    part.push_back(partSize);
    offsets.push_back(offset);
  }
};

/// The slice of a tensor of `shape` that `op` reads or writes, if it is one of
/// equal parts; nothing if not.
std::optional<AlignedSlice> findAligned(OffsetSizeAndStrideOpInterface op,
                                        ArrayRef<int64_t> shape) {
  AlignedSlice slice;
  for (auto [size, offset, part, stride] :
       llvm::zip_equal(shape, op.getStaticOffsets(), op.getStaticSizes(),
                       op.getStaticStrides())) {
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(part) ||
        ShapedType::isDynamic(stride) || !llvm::isPowerOf2_64(size) ||
        !llvm::isPowerOf2_64(part))
      return std::nullopt;
    if (part == 1 || stride == 1) {
      if (offset % part != 0)
        return std::nullopt;
      slice.addDim(size, part, offset);
      continue;
    }
    if (stride < 0 || !llvm::isPowerOf2_64(stride) ||
        offset / stride % part != 0)
      return std::nullopt;
    slice.addDim(size / stride, part, offset / stride);
    slice.addDim(stride, 1, offset % stride);
  }
  return slice;
}

Value reshape(OpBuilder &builder, Location loc, Value tile,
              ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return cta::ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), tile);
}

struct ConvertAlignedExtract : OpRewritePattern<tensor::ExtractSliceOp> {
  ConvertAlignedExtract(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<AlignedSlice> slice =
        findAligned(op, op.getSourceType().getShape());
    if (!slice)
      return rewriter.notifyMatchFailure(op, "is none of equal parts");
    Location loc = op.getLoc();
    Value part = reshape(rewriter, loc, op.getSource(), slice->whole);
    if (slice->part != slice->whole)
      part = cta::SliceOp::create(
          rewriter, loc,
          RankedTensorType::get(slice->part, op.getType().getElementType()),
          part, slice->offsets);
    rewriter.replaceOp(op,
                       reshape(rewriter, loc, part, op.getType().getShape()));
    return success();
  }
};

struct ConvertAlignedInsert : OpRewritePattern<tensor::InsertSliceOp> {
  ConvertAlignedInsert(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<AlignedSlice> slice =
        findAligned(op, op.getType().getShape());
    if (!slice)
      return rewriter.notifyMatchFailure(op, "is none of equal parts");
    Location loc = op.getLoc();
    Value part = reshape(rewriter, loc, op.getSource(), slice->part);
    if (slice->part != slice->whole)
      part = cta::InsertSliceOp::create(
          rewriter, loc, part,
          reshape(rewriter, loc, op.getDest(), slice->whole), slice->offsets);
    rewriter.replaceOp(op,
                       reshape(rewriter, loc, part, op.getType().getShape()));
    return success();
  }
};

/// What `tt.join` becomes: a loop that picks by its last index.
struct ConvertJoin : OpRewritePattern<linalg::GenericOp> {
  ConvertJoin(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isJoin(op))
      return rewriter.notifyMatchFailure(op, "joins no two tensors");
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op->getResultTypes().front());
    TypedAttr zero = rewriter.getZeroAttr(type);
    if (!zero)
      return rewriter.notifyMatchFailure(op, "has elements without a zero");
    SmallVector<int64_t> shape(type.getShape()), offsets(type.getRank(), 0);
    shape.back() = 1;
    Value joined = arith::ConstantOp::create(rewriter, loc, zero);
    for (Value part : op.getInputs()) {
      joined = cta::InsertSliceOp::create(
          rewriter, loc, reshape(rewriter, loc, part, shape), joined, offsets);
      ++offsets.back();
    }
    rewriter.replaceOp(op, joined);
    return success();
  }

private:
  static bool isJoin(linalg::GenericOp op) {
    if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
        op.getNumParallelLoops() != op.getNumLoops() || op.getNumLoops() == 0)
      return false;
    unsigned last = op.getNumLoops() - 1;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    AffineMap part = maps.back().dropResult(last);
    if (!maps.back().isIdentity() || maps[0] != part || maps[1] != part ||
        op.getStaticLoopRanges().back() != 2)
      return false;
    Block &body = op.getRegion().front();
    auto select =
        body.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
    if (!select || select.getTrueValue() != body.getArgument(0) ||
        select.getFalseValue() != body.getArgument(1))
      return false;
    auto isFirst = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!isFirst || isFirst.getPredicate() != arith::CmpIPredicate::eq ||
        !matchPattern(isFirst.getRhs(), m_Zero()))
      return false;
    auto index = isFirst.getLhs().getDefiningOp<linalg::IndexOp>();
    return index && index.getDim() == last;
  }
};

} // namespace

void triton_shared::populateLinalgToCtaSlices(RewritePatternSet &patterns) {
  patterns.add<ConvertAlignedExtract, ConvertAlignedInsert, ConvertJoin>(
      patterns.getContext());
}
