//===- FreeEarly.cpp - Buffers are freed after their last use -------------===//
//
// Deallocation frees buffers at the end of their block. In long code all of
// them would be there at once, and each piece of it would hand them to the
// next.
//
//===----------------------------------------------------------------------===//

#include "BufferLifetimes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "triton-shared/Conversion/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUFREEEARLY
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct CpuFreeEarly : triton_shared::impl::CpuFreeEarlyBase<CpuFreeEarly> {
  using CpuFreeEarlyBase::CpuFreeEarlyBase;

  void runOnOperation() override {
    SmallVector<memref::DeallocOp> deallocations;
    getOperation().walk(
        [&](memref::DeallocOp op) { deallocations.push_back(op); });
    if (deallocations.size() < least)
      return;
    for (memref::DeallocOp op : deallocations) {
      auto buffer = op.getMemref().getDefiningOp<memref::AllocOp>();
      if (!buffer || buffer->getBlock() != op->getBlock())
        continue;
      Operation *last = findLastUser(buffer, op);
      if (last && last->isBeforeInBlock(op))
        op->moveAfter(last);
    }
  }
};

} // namespace
