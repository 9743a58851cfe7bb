//===- ElementwiseBody.cpp - A scalar region on many elements -------------===//

#include "triton-shared/Dialect/Cta/IR/ElementwiseBody.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpDefinition.h"

using namespace mlir;

/// Constants and the like: the same for every element.
static bool isFree(Operation &op) {
  return op.getNumOperands() == 0 && op.getNumRegions() == 0 &&
         op.hasTrait<OpTrait::ConstantLike>();
}

bool cta::isElementwise(Block &body,
                        llvm::function_ref<bool(Operation &)> isSpecial) {
  return llvm::all_of(body.without_terminator(), [&](Operation &op) {
    return OpTrait::hasElementwiseMappableTraits(&op) || isFree(op) ||
           (isSpecial && isSpecial(op));
  });
}

SmallVector<Value> cta::cloneElementwise(OpBuilder &builder, Block &body,
                                         ValueRange arguments,
                                         const ElementwiseBody &how) {
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  auto lookup = [&](Value value) { return mapping.lookupOrDefault(value); };
  auto isMany = [](Value value) { return isa<ShapedType>(value.getType()); };
  auto makeMany = [&](Location loc, Value value) {
    return isMany(value) ? value : how.createSplat(builder, loc, value);
  };

  for (Operation &op : body.without_terminator()) {
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), lookup);
    if (how.special)
      if (Value value = how.special(builder, op, operands)) {
        mapping.map(op.getResult(0), value);
        continue;
      }
    Operation *copy = op.clone();
    builder.insert(copy);
    if (llvm::any_of(operands, isMany)) {
      for (Value &operand : operands)
        operand = makeMany(op.getLoc(), operand);
      for (Value result : copy->getResults())
        result.setType(how.getManyType(result.getType()));
    }
    copy->setOperands(operands);
    // Splats of the operands stand before it.
    copy->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    mapping.map(op.getResults(), copy->getResults());
  }

  Operation *terminator = body.getTerminator();
  return llvm::map_to_vector(terminator->getOperands(), [&](Value value) {
    return makeMany(terminator->getLoc(), lookup(value));
  });
}
