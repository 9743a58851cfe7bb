//===- Reducer.cpp - The smallest module that still fails -----------------===//
//
// MLIR has a reducer, but it leaves operands that are null between its steps,
// and crashes on them.
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// What can be taken away: all but what holds the rest together.
static SmallVector<Operation *> collectOperations(ModuleOp module) {
  SmallVector<Operation *> operations;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isFrame = isa<ModuleOp, ub::PoisonOp>(op) ||
                   op->hasTrait<OpTrait::IsTerminator>();
    bool isOnlyFunction =
        isa<FunctionOpInterface>(op) && llvm::hasSingleElement(*op->getBlock());
    if (!isFrame && !isOnlyFunction)
      operations.push_back(op);
  });
  return operations;
}

static void replaceByPoison(Operation *op) {
  OpBuilder builder(op);
  for (OpResult result : op->getResults())
    result.replaceAllUsesWith(
        ub::PoisonOp::create(builder, op->getLoc(), result.getType()));
  op->erase();
}

static void eraseUnused(ModuleOp module) {
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    module->walk([&](Operation *op) {
      if (!isOpTriviallyDead(op))
        return;
      op->erase();
      hasChanged = true;
    });
  }
}

/// A copy without the operations `[first, first + count)` of the walk. One that
/// lies in another that goes is gone already.
static OwningOpRef<ModuleOp> copyWithout(ModuleOp module, size_t first,
                                         size_t count) {
  OwningOpRef<ModuleOp> copy = module.clone();
  SmallVector<Operation *> chosen = collectOperations(*copy);
  chosen = SmallVector<Operation *>(ArrayRef(chosen).slice(first, count));
  // From the last to the first: a region's operations before their owner.
  for (Operation *op : llvm::reverse(chosen))
    replaceByPoison(op);
  eraseUnused(*copy);
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  return succeeded(verify(*copy)) ? std::move(copy) : nullptr;
}

OwningOpRef<ModuleOp>
triton_shared::reduceModule(ModuleOp module,
                            InterestingnessTest isInteresting) {
  OwningOpRef<ModuleOp> best = module.clone();
  size_t size = collectOperations(*best).size();
  for (size_t count = std::max<size_t>(size / 2, 1); count > 0; count /= 2) {
    for (size_t first = 0; first < size;) {
      size_t taken = std::min(count, size - first);
      OwningOpRef<ModuleOp> smaller = copyWithout(*best, first, taken);
      if (!smaller || !isInteresting(*smaller)) {
        first += taken;
        continue;
      }
      best = std::move(smaller);
      size = collectOperations(*best).size();
    }
  }
  return best;
}
