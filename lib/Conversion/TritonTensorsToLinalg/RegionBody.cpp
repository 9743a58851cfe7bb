//===- RegionBody.cpp - The region of a tt op, built elsewhere ------------===//
//
// The region is copied, not moved: a lowering may need it more than once.
//
//===----------------------------------------------------------------------===//

#include "RegionBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

SmallVector<Value> triton_shared::cloneRegionBody(OpBuilder &builder,
                                                  Region &region,
                                                  ValueRange arguments) {
  Block &block = region.front();
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

Operation *triton_shared::getOnlyOperation(Region &region) {
  Block &block = region.front();
  if (block.getNumArguments() != 2 ||
      !llvm::hasNItems(block.without_terminator(), 1))
    return nullptr;
  Operation &op = block.front();
  bool combinesBoth =
      op.getNumOperands() == 2 && op.getNumResults() == 1 &&
      llvm::is_contained(op.getOperands(), block.getArgument(0)) &&
      llvm::is_contained(op.getOperands(), block.getArgument(1));
  bool isReturned =
      block.getTerminator()->getOperands() == ValueRange(op.getResults());
  return combinesBoth && isReturned ? &op : nullptr;
}

Value triton_shared::cloneCombiner(OpBuilder &builder, Operation *combiner,
                                   ValueRange operands) {
  Operation *copy = builder.clone(*combiner);
  copy->setOperands(operands);
  copy->getResult(0).setType(operands.front().getType());
  return copy->getResult(0);
}

Type triton_shared::getAccumulatorType(Operation *combiner, Type elementType) {
  bool isSmallFloat =
      isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32;
  bool isSumOrExtremum =
      isa<arith::AddFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp>(combiner);
  if (isSumOrExtremum && isSmallFloat)
    return Float32Type::get(combiner->getContext());
  return elementType;
}
