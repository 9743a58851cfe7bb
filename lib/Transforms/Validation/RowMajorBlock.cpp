//===- RowMajorBlock.cpp - Blocks that lie in memory row by row -----------===//

#include "RowMajorBlock.h"

using namespace mlir;
namespace tt = mlir::triton;

/// The place along `dimension` of each element of a block, times `stride`.
static Value makeOffsets(OpBuilder &builder, Location loc,
                         RankedTensorType type, int64_t dimension,
                         int64_t stride) {
  Type i32 = builder.getI32Type();
  int64_t size = type.getDimSize(dimension);
  auto line = RankedTensorType::get({size}, i32);
  Value offsets = tt::MakeRangeOp::create(builder, loc, line, 0, size);
  if (stride != 1) {
    auto factor = DenseElementsAttr::get(
        line, builder.getI32IntegerAttr(static_cast<int32_t>(stride)));
    offsets = arith::MulIOp::create(
        builder, loc, offsets, arith::ConstantOp::create(builder, loc, factor));
  }
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (axis != dimension)
      offsets = tt::ExpandDimsOp::create(builder, loc, offsets, axis);
  auto whole = RankedTensorType::get(type.getShape(), i32);
  if (offsets.getType() == whole)
    return offsets;
  return tt::BroadcastOp::create(builder, loc, whole, offsets);
}

Value triton_shared::makeRowMajorPointers(OpBuilder &builder, Location loc,
                                          Value base, Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  if (!block)
    return base;
  Value pointers = tt::SplatOp::create(
      builder, loc, RankedTensorType::get(block.getShape(), base.getType()),
      base);
  int64_t stride = 1;
  Value offsets;
  for (int64_t axis = block.getRank() - 1; axis >= 0; --axis) {
    Value along = makeOffsets(builder, loc, block, axis, stride);
    offsets =
        offsets ? arith::AddIOp::create(builder, loc, offsets, along) : along;
    stride *= block.getDimSize(axis);
  }
  if (!offsets)
    return pointers;
  return tt::AddPtrOp::create(builder, loc, pointers.getType(), pointers,
                              offsets);
}
