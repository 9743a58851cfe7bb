//===- PointerParts.cpp - The parts of block pointers and descriptors -----===//

#include "PointerParts.h"

using namespace mlir;
using namespace mlir::triton_shared;

TensorParts TensorParts::ofBlockPointer(ValueRange parts) {
  size_t rank = (parts.size() - 1) / 3;
  TensorParts tensor;
  tensor.base = parts.front();
  tensor.shape = llvm::to_vector(parts.slice(1, rank));
  tensor.strides = llvm::to_vector(parts.slice(1 + rank, rank));
  tensor.offsets = llvm::to_vector(parts.slice(1 + 2 * rank, rank));
  return tensor;
}

TensorParts TensorParts::ofDescriptor(ValueRange parts) {
  size_t rank = (parts.size() - 3) / 2;
  TensorParts tensor;
  tensor.base = parts.front();
  tensor.shape = llvm::to_vector(parts.slice(1, rank));
  tensor.strides = llvm::to_vector(parts.slice(1 + rank, rank));
  tensor.paddingIsNan = parts[1 + 2 * rank];
  tensor.roundsToTf32 = parts.back();
  return tensor;
}

SmallVector<Value> TensorParts::flatten() const {
  SmallVector<Value> parts{base};
  llvm::append_range(parts, shape);
  llvm::append_range(parts, strides);
  llvm::append_range(parts, offsets);
  if (paddingIsNan)
    parts.append({paddingIsNan, roundsToTf32});
  return parts;
}

BlockPlace triton_shared::placeBlock(OpBuilder &builder, Location loc,
                                     const TensorParts &tensor,
                                     ArrayRef<Value> offsets,
                                     ArrayRef<int32_t> bounded) {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
  BlockPlace place;
  for (auto [offset, stride] : llvm::zip_equal(offsets, tensor.strides)) {
    Value step = arith::MulIOp::create(builder, loc, offset, stride);
    place.offset = place.offset
                       ? arith::AddIOp::create(builder, loc, place.offset, step)
                       : step;
    place.dimensions.push_back({stride});
  }
  if (!place.offset)
    place.offset = zero;
  for (int32_t d : bounded) {
    tts::DimensionAccess &dimension = place.dimensions[d];
    dimension.low = arith::SubIOp::create(builder, loc, zero, offsets[d]);
    dimension.high =
        arith::SubIOp::create(builder, loc, tensor.shape[d], offsets[d]);
  }
  return place;
}
