//===- BufferLifetimes.cpp - From where to where a buffer is used ---------===//

#include "BufferLifetimes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::triton_shared;

BufferLifetimes::BufferLifetimes(FunctionOpInterface function)
    : function(function) {
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

/// Adds the values that show the memory of `operand` in its user: results and
/// block arguments. False if that is not known.
static bool followInto(OpOperand &operand, llvm::SetVector<Value> &aliases) {
  Operation *user = operand.getOwner();
  if (auto branch = dyn_cast<RegionBranchOpInterface>(user);
      branch && isa<scf::ForOp, scf::WhileOp>(user)) {
    unsigned number = operand.getOperandNumber();
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      aliases.insert(loop.getTiedLoopRegionIterArg(&operand));
      aliases.insert(loop.getTiedLoopResult(&operand));
    } else {
      aliases.insert(cast<scf::WhileOp>(user).getBeforeArguments()[number]);
    }
    return true;
  }
  if (auto condition = dyn_cast<scf::ConditionOp>(user)) {
    auto loop = cast<scf::WhileOp>(user->getParentOp());
    unsigned number = operand.getOperandNumber() - 1;
    aliases.insert(loop.getAfterArguments()[number]);
    aliases.insert(loop.getResult(number));
    return true;
  }
  if (isa<scf::YieldOp>(user)) {
    Operation *parent = user->getParentOp();
    unsigned number = operand.getOperandNumber();
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      aliases.insert(loop.getBeforeArguments()[number]);
      return true;
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      aliases.insert(loop.getRegionIterArg(number));
    aliases.insert(parent->getResult(number));
    return true;
  }
  for (Value result : user->getResults()) {
    if (isa<BaseMemRefType>(result.getType()))
      aliases.insert(result);
    else if (!isa<IntegerType, FloatType, VectorType>(result.getType()) &&
             !result.getType().isIndex())
      return false; // A pointer: it may go anywhere.
  }
  return !isa<memref::ExtractAlignedPointerAsIndexOp>(user);
}

Operation *triton_shared::findLastUser(memref::AllocOp buffer,
                                       Operation *except) {
  Operation *last = buffer;
  llvm::SetVector<Value> aliases;
  aliases.insert(buffer.getResult());
  for (size_t next = 0; next < aliases.size(); ++next)
    for (OpOperand &use : aliases[next].getUses()) {
      if (use.getOwner() == except)
        continue;
      Operation *user =
          buffer->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (!user || !followInto(use, aliases))
        return nullptr;
      if (last->isBeforeInBlock(user))
        last = user;
    }
  return last;
}

Lifetime BufferLifetimes::get(memref::AllocOp buffer) const {
  Lifetime life = positions.lookup(buffer);
  llvm::SetVector<Value> aliases;
  aliases.insert(buffer.getResult());
  for (size_t next = 0; next < aliases.size(); ++next)
    for (OpOperand &use : aliases[next].getUses()) {
      extend(life, buffer, use.getOwner());
      if (!followInto(use, aliases))
        return positions.lookup(function);
    }
  return life;
}
