//===- RowViews.cpp - Blocks whose rows lie in one piece ------------------===//

#include "RowViews.h"

using namespace mlir;

MemRefType triton_shared::getRowsAnywhere(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getRank() == 0 || !type.isLastDimUnitStride() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return {};
  std::fill(strides.begin(), strides.end() - 1, ShapedType::kDynamic);
  auto layout =
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(type.getShape(), type.getElementType(), layout);
}
