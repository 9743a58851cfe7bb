//===- TritonShapes.cpp - Making and rearranging blocks -------------------===//
//
// Verifiers and folders of the operations that only move elements. Folders do
// what needs no thought: identities, and constants of one repeated value.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Dialect/Triton/IR/Triton.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
namespace tt = mlir::triton;

/// A constant of one repeated value, in another shape.
static OpFoldResult foldSplat(Attribute operand, Type type) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(operand);
  return splat ? splat.resizeSplat(cast<ShapedType>(type)) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Making blocks
//===----------------------------------------------------------------------===//

LogicalResult tt::MakeRangeOp::verify() {
  int64_t start = static_cast<int32_t>(getStart());
  int64_t end = static_cast<int32_t>(getEnd());
  if (end <= start)
    return emitOpError() << "goes from " << start << " to " << end
                         << ", which is no number";
  RankedTensorType type = getType();
  if (type.getRank() != 1 || type.getDimSize(0) != end - start ||
      !type.getElementType().isInteger(32))
    return emitOpError() << "has " << end - start
                         << " numbers, but the result is of type " << type;
  return success();
}

OpFoldResult tt::MakeRangeOp::fold(FoldAdaptor) {
  if (getType().getNumElements() != 1)
    return {};
  return DenseElementsAttr::get(getType(), static_cast<int32_t>(getStart()));
}

LogicalResult tt::SplatOp::verify() {
  if (getSrc().getType() == getType().getElementType())
    return success();
  return emitOpError() << "repeats a value of type " << getSrc().getType()
                       << " in a block of type " << getType();
}

OpFoldResult tt::SplatOp::fold(FoldAdaptor adaptor) {
  if (!isa_and_present<IntegerAttr, FloatAttr>(adaptor.getSrc()))
    return {};
  return SplatElementsAttr::get(getType(), adaptor.getSrc());
}

LogicalResult tt::UnsplatOp::verify() {
  RankedTensorType type = getSrc().getType();
  if (type.hasStaticShape() && type.getNumElements() == 1)
    return success();
  return emitOpError() << "needs a block of one element, but got " << type;
}

OpFoldResult tt::UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSrc().getDefiningOp<SplatOp>())
    return splat.getSrc();
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getSrc()))
    return splat.getSplatValue<Attribute>();
  return {};
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

void tt::ExpandDimsOp::build(OpBuilder &builder, OperationState &state,
                             Value src, int axis) {
  auto type = cast<RankedTensorType>(src.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + axis, 1);
  build(builder, state, RankedTensorType::get(shape, type.getElementType()),
        src, axis);
}

LogicalResult tt::ExpandDimsOp::verify() {
  RankedTensorType from = getSrc().getType();
  int64_t axis = static_cast<int32_t>(getAxis());
  if (axis < 0 || axis > from.getRank())
    return emitOpError() << "can not add dimension " << axis
                         << " to a block with " << from.getRank()
                         << " dimensions";
  SmallVector<int64_t> shape(from.getShape());
  shape.insert(shape.begin() + axis, 1);
  if (getType().getShape() != ArrayRef(shape))
    return emitOpError() << "adds dimension " << axis << " to " << from
                         << ", which does not make " << getType();
  return success();
}

OpFoldResult tt::ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldSplat(adaptor.getSrc(), getType());
}

LogicalResult tt::BroadcastOp::verify() {
  RankedTensorType from = getSrc().getType(), to = getType();
  if (from.getRank() != to.getRank())
    return emitOpError() << "can not change the number of dimensions from "
                         << from.getRank() << " to " << to.getRank();
  for (auto [index, sizes] :
       llvm::enumerate(llvm::zip(from.getShape(), to.getShape())))
    if (auto [before, after] = sizes; before != 1 && before != after)
      return emitOpError() << "can not repeat dimension " << index
                           << ", which has " << before << " elements, to "
                           << after;
  return success();
}

OpFoldResult tt::BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

LogicalResult tt::ReshapeOp::verify() {
  RankedTensorType from = getSrc().getType(), to = getType();
  if (from.hasStaticShape() && to.hasStaticShape() &&
      from.getNumElements() == to.getNumElements())
    return success();
  return emitOpError() << "can not make " << to << " of the elements of "
                       << from;
}

OpFoldResult tt::ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType() && !getAllowReorder())
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

void tt::TransOp::build(OpBuilder &builder, OperationState &state, Value src,
                        ArrayRef<int32_t> order) {
  auto type = cast<RankedTensorType>(src.getType());
  SmallVector<int64_t> shape;
  for (int32_t dimension : order)
    shape.push_back(type.getDimSize(dimension));
  build(builder, state, RankedTensorType::get(shape, type.getElementType()),
        src, order);
}

LogicalResult tt::TransOp::verify() {
  RankedTensorType from = getSrc().getType(), to = getType();
  ArrayRef<int32_t> order = getOrder();
  SmallVector<int32_t> sorted(order);
  llvm::sort(sorted);
  bool permutes = static_cast<int64_t>(order.size()) == from.getRank();
  for (auto [index, dimension] : llvm::enumerate(sorted))
    permutes &= static_cast<int32_t>(index) == dimension;
  if (!permutes)
    return emitOpError() << "has the order [" << order
                         << "], which is no permutation of the dimensions of "
                         << from;
  bool matches = to.getRank() == from.getRank();
  for (int64_t i = 0; matches && i < to.getRank(); ++i)
    matches = to.getDimSize(i) == from.getDimSize(order[i]);
  if (!matches)
    return emitOpError() << "reorders the dimensions of " << from
                         << ", which does not make " << to;
  return success();
}

OpFoldResult tt::TransOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getOrder(), llvm::seq<int32_t>(0, getOrder().size())))
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

//===----------------------------------------------------------------------===//
// Several blocks
//===----------------------------------------------------------------------===//

LogicalResult tt::CatOp::verify() {
  RankedTensorType half = getLhs().getType(), whole = getType();
  if (half.getRank() == whole.getRank() &&
      2 * half.getNumElements() == whole.getNumElements())
    return success();
  return emitOpError() << "can not make " << whole << " of two blocks of type "
                       << half;
}

void tt::JoinOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                       Value rhs) {
  auto type = cast<RankedTensorType>(lhs.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  build(builder, state, RankedTensorType::get(shape, type.getElementType()),
        lhs, rhs);
}

/// True if `whole` has the dimensions of `half` and a last one of size 2.
static bool isJoined(RankedTensorType half, RankedTensorType whole) {
  return whole.getRank() == half.getRank() + 1 &&
         whole.getShape().drop_back() == half.getShape() &&
         whole.getShape().back() == 2;
}

LogicalResult tt::JoinOp::verify() {
  if (isJoined(getLhs().getType(), getType()))
    return success();
  return emitOpError() << "joins two blocks of type " << getLhs().getType()
                       << ", which does not make " << getType();
}

LogicalResult tt::SplitOp::verify() {
  RankedTensorType half = getOutLHS().getType(), whole = getSrc().getType();
  if (isJoined(half, whole) && half.getElementType() == whole.getElementType())
    return success();
  return emitOpError() << "can not split " << whole
                       << " into two blocks of type " << half;
}

LogicalResult tt::SplitOp::fold(FoldAdaptor,
                                SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSrc().getDefiningOp<JoinOp>();
  if (!join)
    return failure();
  results.assign({join.getLhs(), join.getRhs()});
  return success();
}

LogicalResult tt::GatherOp::verify() {
  RankedTensorType src = getSrc().getType(), indices = getIndices().getType();
  int64_t axis = static_cast<int32_t>(getAxis());
  if (axis < 0 || axis >= src.getRank())
    return emitOpError() << "gathers along dimension " << axis
                         << " of a block with " << src.getRank()
                         << " dimensions";
  if (getType().getShape() != indices.getShape() ||
      getType().getElementType() != src.getElementType())
    return emitOpError() << "has the result " << getType() << ", but "
                         << indices << " picks elements of " << src;
  bool matches = indices.getRank() == src.getRank();
  for (int64_t i = 0; matches && i < src.getRank(); ++i)
    matches = i == axis || indices.getDimSize(i) == src.getDimSize(i);
  if (!matches)
    return emitOpError() << "has the indices " << indices
                         << ", which differ from " << src
                         << " in more than dimension " << axis;
  return success();
}

LogicalResult tt::HistogramOp::verify() {
  if (getSrc().getType().getRank() != 1 || getType().getRank() != 1)
    return emitOpError() << "needs blocks of one dimension, but has "
                         << getSrc().getType() << " and " << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Canonical forms
//===----------------------------------------------------------------------===//

namespace {

/// Two of the same view are one, and a view of a repeated value is the value
/// repeated in the final shape.
template <typename ViewOp> struct MergeView : OpRewritePattern<ViewOp> {
  using OpRewritePattern<ViewOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ViewOp op,
                                PatternRewriter &rewriter) const override {
    if (auto splat = op.getSrc().template getDefiningOp<tt::SplatOp>()) {
      rewriter.replaceOpWithNewOp<tt::SplatOp>(op, op.getType(),
                                               splat.getSrc());
      return success();
    }
    auto inner = op.getSrc().template getDefiningOp<ViewOp>();
    return inner ? merge(op, inner, rewriter) : failure();
  }

private:
  static LogicalResult merge(tt::BroadcastOp op, tt::BroadcastOp inner,
                             PatternRewriter &rewriter) {
    rewriter.replaceOpWithNewOp<tt::BroadcastOp>(op, op.getType(),
                                                 inner.getSrc());
    return success();
  }

  static LogicalResult merge(tt::ReshapeOp op, tt::ReshapeOp inner,
                             PatternRewriter &rewriter) {
    if (op.getEfficientLayout() || inner.getEfficientLayout())
      return rewriter.notifyMatchFailure(op, "the shape carries a layout");
    rewriter.replaceOpWithNewOp<tt::ReshapeOp>(op, op.getType(), inner.getSrc(),
                                               op.getAllowReorder() ||
                                                   inner.getAllowReorder(),
                                               /*efficient_layout=*/false);
    return success();
  }

  static LogicalResult merge(tt::TransOp op, tt::TransOp inner,
                             PatternRewriter &rewriter) {
    SmallVector<int32_t> order;
    for (int32_t dimension : op.getOrder())
      order.push_back(inner.getOrder()[dimension]);
    rewriter.replaceOpWithNewOp<tt::TransOp>(op, op.getType(), inner.getSrc(),
                                             order);
    return success();
  }

  static LogicalResult merge(tt::ExpandDimsOp, tt::ExpandDimsOp,
                             PatternRewriter &) {
    return failure();
  }
};

} // namespace

void tt::ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *context) {
  patterns.add<MergeView<ExpandDimsOp>>(context);
}

void tt::BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<MergeView<BroadcastOp>>(context);
}

void tt::ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *context) {
  patterns.add<MergeView<ReshapeOp>>(context);
}

void tt::TransOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeView<TransOp>>(context);
}
