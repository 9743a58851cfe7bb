//===- DotGroups.cpp - Dots that add to one result ------------------------===//
//
// A dot may wait for the next one if nothing in between reads what it writes,
// or writes what it reads. Who computes in place has seen to it that a result
// shares no memory with what its loop reads.
//
//===----------------------------------------------------------------------===//

#include "DotGroups.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// The memory that `value` shows; null if it is none.
static Value findRoot(Value value) {
  auto memory = dyn_cast_or_null<MemrefValue>(value);
  return memory ? memref::skipViewLikeOps(memory) : Value();
}

/// True for a buffer that is made behind `first` in its block.
static bool isMadeBehind(Value root, linalg::GenericOp first) {
  auto made = root.getDefiningOp<memref::AllocOp>();
  return made && made->getBlock() == first->getBlock() &&
         first->isBeforeInBlock(made);
}

/// True if `first` may be computed behind `op`.
static bool canWaitFor(linalg::GenericOp first, Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return false;
  Value result = findRoot(first.getDpsInits().front());
  auto leavesItAlone = [&](const MemoryEffects::EffectInstance &effect) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      return true;
    Value root = findRoot(effect.getValue());
    if (!root || root == result)
      return false;
    return isa<MemoryEffects::Read>(effect.getEffect()) ||
           (isa<MemoryEffects::Write>(effect.getEffect()) &&
            isMadeBehind(root, first));
  };
  return llvm::all_of(*effects, leavesItAlone);
}

/// True if `next` adds to what `first` leaves, and both may be computed there.
static bool belongTogether(linalg::GenericOp first, linalg::GenericOp next) {
  if (first->getBlock() != next->getBlock() || first.getNumLoops() != 3 ||
      first.getStaticLoopRanges() != next.getStaticLoopRanges() ||
      first.getDpsInits().front() != next.getDpsInits().front() ||
      !first->isBeforeInBlock(next))
    return false;
  for (Operation *op = first->getNextNode(); op != next; op = op->getNextNode())
    if (!canWaitFor(first, op))
      return false;
  return true;
}

SmallVector<DotGroup>
triton_shared::groupDots(ArrayRef<linalg::GenericOp> dots,
                         function_ref<bool(linalg::GenericOp)> mayWait) {
  SmallVector<DotGroup> groups;
  for (linalg::GenericOp dot : dots) {
    if (!groups.empty() && mayWait(dot) &&
        belongTogether(groups.back().back(), dot))
      groups.back().push_back(dot);
    else
      groups.push_back({dot});
  }
  return groups;
}
