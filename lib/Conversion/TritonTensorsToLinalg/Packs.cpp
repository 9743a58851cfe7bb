//===- Packs.cpp - Neighbouring elements as tensors of their own ----------===//
//
// Slices with a stride, taken from the tensor in one dimension.
//
//===----------------------------------------------------------------------===//

#include "Packs.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::triton_shared;

static SmallVector<OpFoldResult> at(OpBuilder &builder, int64_t value) {
  return {builder.getIndexAttr(value)};
}

Packs::Packs(RankedTensorType shape, int64_t pack)
    : shape(shape), pack(pack), count(shape.getNumElements() / pack) {
  SmallVector<int64_t, 2> all =
      llvm::to_vector<2>(llvm::seq<int64_t>(0, shape.getRank()));
  groups.push_back(ReassociationIndices(all));
}

void Packs::split(OpBuilder &builder, Location loc, Value tensor,
                  SmallVectorImpl<Value> &parts) const {
  Type elementType = getElementTypeOrSelf(tensor);
  Value flat = tensor;
  if (shape.getRank() > 1)
    flat = tensor::CollapseShapeOp::create(builder, loc, tensor, groups);
  for (int64_t i = 0; i < pack; ++i)
    parts.push_back(tensor::ExtractSliceOp::create(
        builder, loc, getPartType(elementType), flat, at(builder, i),
        at(builder, count), at(builder, pack)));
}

Value Packs::merge(OpBuilder &builder, Location loc, ValueRange parts) const {
  Type elementType = getElementTypeOrSelf(parts.front());
  Value flat = createEmptyTensor(
      builder, loc,
      RankedTensorType::get({shape.getNumElements()}, elementType));
  for (auto [i, part] : llvm::enumerate(parts))
    flat =
        tensor::InsertSliceOp::create(builder, loc, part, flat, at(builder, i),
                                      at(builder, count), at(builder, pack));
  if (shape.getRank() == 1)
    return flat;
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape.getShape(), elementType), flat,
      groups);
}

SmallVector<Value> triton_shared::mapPacks(OpBuilder &builder, Location loc,
                                           TypeRange resultTypes,
                                           ValueRange operands, int64_t pack,
                                           ElementBody body, ValueRange more) {
  Packs packs(cast<RankedTensorType>(resultTypes.front()), pack);
  SmallVector<Value> inputs;
  for (Value operand : operands)
    packs.split(builder, loc, operand, inputs);
  llvm::append_range(inputs, more);
  SmallVector<Type> partTypes;
  for (Type type : resultTypes)
    partTypes.append(pack, packs.getPartType(getElementTypeOrSelf(type)));
  SmallVector<Value> parts = mapElements(builder, loc, partTypes, inputs, body);
  SmallVector<Value> results;
  for (ValueRange rest = parts; !rest.empty(); rest = rest.drop_front(pack))
    results.push_back(packs.merge(builder, loc, rest.take_front(pack)));
  return results;
}
