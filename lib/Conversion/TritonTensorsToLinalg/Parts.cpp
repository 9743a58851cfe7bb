//===- Parts.cpp - Parts of tensors along a dimension ---------------------===//
//
// A dimension of size 1 goes away in an op of its own. A slice could drop it,
// but if there are several of size 1 its type does not say which one it was,
// and packaged passes guess wrong.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

Value triton_shared::extractPart(OpBuilder &builder, Location loc, Value tensor,
                                 int64_t dim, int64_t begin, int64_t size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  offsets[dim] = builder.getIndexAttr(begin);
  return tensor::ExtractSliceOp::create(
      builder, loc, tensor, offsets,
      getAsIndexOpFoldResult(builder.getContext(), shape), strides);
}

Value triton_shared::extractPlace(OpBuilder &builder, Location loc,
                                  Value tensor, int64_t dim, int64_t place) {
  Value part = extractPart(builder, loc, tensor, dim, place, /*size=*/1);
  int64_t rank = cast<RankedTensorType>(part.getType()).getRank();
  // The dimension joins the one before it; the first one, that after it.
  int64_t joined = std::max<int64_t>(dim, 1);
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; rank > 1 && i < rank; ++i) {
    if (i != joined)
      groups.emplace_back();
    groups.back().push_back(i);
  }
  return tensor::CollapseShapeOp::create(builder, loc, part, groups);
}
