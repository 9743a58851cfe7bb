//===- FreeEarly.cpp - Buffers are freed after their last use -------------===//
//
// Deallocation frees buffers at the end of their block. In long code all of
// them would be there at once, and each piece of it would hand them to the
// next.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Analysis/BufferLifetimes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUFREEEARLY
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The last operation in the block of `buffer` that uses it, in itself or
/// nested, but for `except`; null if that is not known.
Operation *findLastUser(memref::AllocOp buffer, Operation *except,
                        const BufferViewFlowAnalysis &views) {
  std::optional<SmallVector<Operation *>> users = findUsers(buffer, views);
  if (!users)
    return nullptr;
  Operation *last = buffer;
  for (Operation *user : *users) {
    if (user == except)
      continue;
    user = buffer->getBlock()->findAncestorOpInBlock(*user);
    if (!user)
      return nullptr;
    if (last->isBeforeInBlock(user))
      last = user;
  }
  return last;
}

struct CpuFreeEarly : triton_shared::impl::CpuFreeEarlyBase<CpuFreeEarly> {
  using CpuFreeEarlyBase::CpuFreeEarlyBase;

  void runOnOperation() override {
    SmallVector<memref::DeallocOp> deallocations;
    getOperation().walk(
        [&](memref::DeallocOp op) { deallocations.push_back(op); });
    if (deallocations.size() < least)
      return;
    BufferViewFlowAnalysis views(getOperation());
    // A block is counted anew after something in it has moved: all are found
    // before the first one moves.
    SmallVector<std::pair<Operation *, Operation *>> moves;
    for (memref::DeallocOp op : deallocations) {
      auto buffer = op.getMemref().getDefiningOp<memref::AllocOp>();
      if (!buffer || buffer->getBlock() != op->getBlock())
        continue;
      Operation *last = findLastUser(buffer, op, views);
      if (last && last->isBeforeInBlock(op))
        moves.emplace_back(op, last);
    }
    for (auto [op, last] : moves)
      op->moveAfter(last);
  }
};

} // namespace
