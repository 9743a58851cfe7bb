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

void VectorValues::buildBlock(Block &original, Block &made) {
  auto builder = OpBuilder::atBlockEnd(&made);
  for (Operation &nested : original.without_terminator())
    buildElementwise(builder, &nested);
  Operation *yield = original.getTerminator();
  scf::YieldOp::create(builder, yield->getLoc(),
                       llvm::map_to_vector(yield->getOperands(), [&](Value v) {
                         return getVector(builder, v);
                       }));
}

void VectorValues::buildBranch(OpBuilder &builder, scf::IfOp original) {
  Value condition = getVector(builder, original.getCondition());
  Value isAny = vector::ReductionOp::create(
      builder, original.getLoc(), vector::CombiningKind::OR, condition);
  auto types = llvm::map_to_vector(original.getResultTypes(), [&](Type type) {
    return Type(VectorType::get(lanes, type));
  });
  auto made = scf::IfOp::create(builder, original.getLoc(), types, isAny,
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  buildBlock(*original.thenBlock(), *made.thenBlock());
  buildBlock(*original.elseBlock(), *made.elseBlock());
  for (auto [result, vector] :
       llvm::zip_equal(original.getResults(), made.getResults()))
    mapping.map(result, vector);
}

void VectorValues::buildElementwise(OpBuilder &builder, Operation *original) {
  bool isVector = llvm::any_of(original->getOperands(), [&](Value operand) {
    return isa<VectorType>(mapping.lookupOrDefault(operand).getType());
  });
  if (auto branch = dyn_cast<scf::IfOp>(original))
    return buildBranch(builder, branch);
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
