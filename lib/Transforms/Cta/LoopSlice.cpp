//===- LoopSlice.cpp - What a value of a loop is computed from ------------===//

#include "LoopSlice.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;

bool LoopSlice::addOperandsOf(Operation *op) {
  llvm::SetVector<Operation *> foundOperations = operations;
  llvm::SetVector<unsigned> foundIterated = iterated;
  SmallVector<Value> waiting(op->getOperands());
  while (!waiting.empty()) {
    Value value = waiting.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != loop.getBody())
        return false;
      unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
      if (foundIterated.insert(number))
        waiting.push_back(loop.getYieldedValues()[number]);
      continue;
    }
    Operation *definition = value.getDefiningOp();
    if (definition->getBlock() != loop.getBody() ||
        definition->getNumRegions() != 0 || !isPure(definition))
      return false;
    if (foundOperations.insert(definition))
      llvm::append_range(waiting, definition->getOperands());
  }
  operations = std::move(foundOperations);
  iterated = std::move(foundIterated);
  return true;
}

SmallVector<unsigned> LoopSlice::getIterated() const {
  SmallVector<unsigned> numbers = llvm::to_vector(iterated);
  llvm::sort(numbers);
  return numbers;
}

void LoopSlice::clone(OpBuilder &builder, IRMapping &mapping) const {
  SmallVector<Operation *> inOrder(operations.begin(), operations.end());
  llvm::sort(inOrder,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : inOrder)
    builder.clone(*op, mapping);
}
