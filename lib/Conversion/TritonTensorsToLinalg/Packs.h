//===- Packs.h - Neighbouring elements as tensors of their own --*- C++ -*-===//
//
// What takes a pack of neighbours at once becomes one loop over tensors that
// hold every n-th element.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PACKS_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PACKS_H

#include "MapElements.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::triton_shared {

/// Every `pack`-th element of tensors of one shape, in row-major order.
class Packs {
public:
  Packs(RankedTensorType shape, int64_t pack);

  RankedTensorType getPartType(Type elementType) const {
    return RankedTensorType::get({count}, elementType);
  }

  /// The parts of `tensor`: part i holds the element i of each pack.
  void split(OpBuilder &builder, Location loc, Value tensor,
             SmallVectorImpl<Value> &parts) const;

  /// The tensor that has `parts`.
  Value merge(OpBuilder &builder, Location loc, ValueRange parts) const;

private:
  RankedTensorType shape;
  int64_t pack;
  int64_t count;
  SmallVector<ReassociationIndices> groups;
};

/// `mapElements` on packs: `body` takes the `pack` elements of the first
/// operand, then those of the second, and gives results in the same order. Of
/// `more`, which have one element for each pack or are scalars, it takes one.
SmallVector<Value> mapPacks(OpBuilder &builder, Location loc,
                            TypeRange resultTypes, ValueRange operands,
                            int64_t pack, ElementBody body,
                            ValueRange more = {});

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PACKS_H
