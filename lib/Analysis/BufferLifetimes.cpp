//===- BufferLifetimes.cpp - From where to where a buffer is used ---------===//

#include "triton-shared/Analysis/BufferLifetimes.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;

//===----------------------------------------------------------------------===//
// Users
//===----------------------------------------------------------------------===//

/// True if a result of `user` may be the address of an operand, and no memref.
static bool mayHandOnAddress(Operation *user) {
  if (isa<memref::ExtractAlignedPointerAsIndexOp>(user))
    return true;
  // What goes into a region comes out as what it is.
  return !isa<RegionBranchOpInterface>(user) &&
         !llvm::all_of(user->getResultTypes(), [](Type type) {
           return isa<BaseMemRefType, IntegerType, FloatType, VectorType,
                      IndexType>(type);
         });
}

std::optional<SmallVector<Operation *>>
triton_shared::findUsers(memref::AllocOp buffer,
                         const BufferViewFlowAnalysis &views) {
  SmallVector<Operation *> users;
  for (Value alias : views.resolve(buffer))
    for (Operation *user : alias.getUsers()) {
      if (mayHandOnAddress(user))
        return std::nullopt;
      users.push_back(user);
    }
  return users;
}

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

BufferLifetimes::BufferLifetimes(FunctionOpInterface function)
    : function(function), views(function) {
  unsigned count = 0;
  SmallVector<Operation *> order;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    positions[op] = {count, count};
    order.push_back(op);
    ++count;
  });
  // Children follow their parents, so one pass from the end suffices.
  for (Operation *op : llvm::reverse(order))
    if (Operation *parent = op->getParentOp(); positions.contains(parent)) {
      Lifetime &outer = positions[parent];
      outer.last = std::max(outer.last, positions[op].last);
    }
}

void BufferLifetimes::extend(Lifetime &life, Operation *buffer,
                             Operation *user) const {
  Operation *start = buffer;
  Operation *end = start->getBlock()->findAncestorOpInBlock(*user);
  while (!end) {
    start = start->getParentOp();
    end = start->getBlock()->findAncestorOpInBlock(*user);
  }
  life.first = std::min(life.first, positions.lookup(start).first);
  life.last = std::max(life.last, positions.lookup(end).last);
}

Lifetime BufferLifetimes::get(memref::AllocOp buffer) const {
  std::optional<SmallVector<Operation *>> users = findUsers(buffer, views);
  if (!users)
    return positions.lookup(function);
  Lifetime life = positions.lookup(buffer);
  for (Operation *user : *users)
    extend(life, buffer, user);
  return life;
}
