//===- LongModules.cpp - What passes do to long kernels -------------------===//

#include "LongModules.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Pipelines/OwnThread.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// The operations from which on a module does not fit into a CPU's caches.
static constexpr unsigned kManyOperations = 8192;

/// Counts the operations in `op`, itself included, up to `most` and one.
static unsigned countOperations(Operation *op, unsigned most) {
  unsigned count = 0;
  op->walk([&](Operation *) {
    return ++count > most ? WalkResult::interrupt() : WalkResult::advance();
  });
  return count;
}

bool triton_shared::isLong(ModuleOp module) {
  return countOperations(module, kManyOperations) > kManyOperations;
}

/// Has operations lie in memory as passes walk over them.
static void layOutInOrder(ModuleOp module) {
  OwningOpRef<ModuleOp> copy(module.clone());
  module.getBody()->clear();
  module.getBody()->getOperations().splice(module.getBody()->end(),
                                           copy->getBody()->getOperations());
}

LogicalResult triton_shared::runInOrder(ModuleOp module, unsigned others,
                                        function_ref<LogicalResult()> work) {
  if (!isLong(module))
    return work();
  LogicalResult result = failure();
  auto workInOrder = [&] {
    layOutInOrder(module);
    result = work();
  };
  if (others % 2)
    runOnOwnThread(workInOrder);
  else
    workInOrder();
  return result;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Consecutive operations of the module, each part about as many as caches
/// hold.
static SmallVector<SmallVector<Operation *>> getParts(ModuleOp module) {
  SmallVector<SmallVector<Operation *>> parts;
  unsigned held = kManyOperations;
  for (Operation &op : *module.getBody()) {
    unsigned size = countOperations(&op, kManyOperations);
    if (held + size > kManyOperations) {
      parts.emplace_back();
      held = 0;
    }
    parts.back().push_back(&op);
    held += size;
  }
  return parts;
}

/// A module of copies of `ops`, which those who wrote `module` know as theirs.
static OwningOpRef<ModuleOp> copyPart(ModuleOp module,
                                      ArrayRef<Operation *> ops) {
  OwningOpRef<ModuleOp> part(module.cloneWithoutRegions());
  part->getBodyRegion().emplaceBlock();
  for (Operation *op : ops)
    part->push_back(op->clone());
  return part;
}

static bool isDeclaration(Operation &op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function && function.isExternal();
}

/// Puts what `part` has become in the place of `ops`. `names` are those that
/// the module has.
static LogicalResult takeBack(ModuleOp part, ArrayRef<Operation *> ops,
                              llvm::DenseSet<StringAttr> &names) {
  for (Operation *op : ops)
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      names.erase(symbol.getNameAttr());
  OpBuilder builder(ops.front());
  for (Operation &op : *part.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (symbol && !names.insert(symbol.getNameAttr()).second) {
      if (!isDeclaration(op))
        return op.emitError("'") << symbol.getName() << "' is made twice";
      continue;
    }
    builder.clone(op);
  }
  for (Operation *op : ops)
    op->erase();
  return success();
}

LogicalResult
triton_shared::runInParts(ModuleOp module,
                          function_ref<LogicalResult(ModuleOp)> work) {
  llvm::DenseSet<StringAttr> names;
  for (auto symbol : module.getOps<SymbolOpInterface>())
    names.insert(symbol.getNameAttr());
  for (ArrayRef<Operation *> ops : getParts(module)) {
    OwningOpRef<ModuleOp> part;
    LogicalResult result = failure();
    runOnOwnThread([&] {
      part = copyPart(module, ops);
      result = work(*part);
    });
    if (failed(result) || failed(takeBack(*part, ops, names)))
      return failure();
  }
  return success();
}
