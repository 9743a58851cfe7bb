//===- VectorValues.cpp - Scalars that have become vectors ----------------===//

#include "VectorValues.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton_shared;

bool triton_shared::isLane(Type type) {
  return type.isIndex() ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
}

unsigned triton_shared::getWidestBytes(ArrayRef<Type> types) {
  unsigned bytes = 1;
  for (Type type : types)
    if (type.isIntOrFloat())
      bytes = std::max(bytes, (type.getIntOrFloatBitWidth() + 7) / 8);
  return bytes;
}

Value VectorValues::getVector(OpBuilder &builder, Value scalar) {
  Value found = mapping.lookupOrDefault(scalar);
  if (isa<VectorType>(found.getType()))
    return found;
  auto type = VectorType::get(lanes, found.getType());
  return vector::BroadcastOp::create(builder, scalar.getLoc(), type, found);
}

void VectorValues::buildElementwise(OpBuilder &builder, Operation *original) {
  bool isVector = llvm::any_of(original->getOperands(), [&](Value operand) {
    return isa<VectorType>(mapping.lookupOrDefault(operand).getType());
  });
  if (!isVector) {
    builder.clone(*original, mapping);
    return;
  }
  IRMapping operands;
  for (Value operand : original->getOperands())
    operands.map(operand, getVector(builder, operand));
  Operation *clone = builder.clone(*original, operands);
  for (auto [result, made] :
       llvm::zip_equal(original->getResults(), clone->getResults())) {
    made.setType(VectorType::get(lanes, result.getType()));
    mapping.map(result, made);
  }
}
