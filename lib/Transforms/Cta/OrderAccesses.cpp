//===- OrderAccesses.cpp - Who may see what was written -------------------===//
//
// A program reads what it has written before. On a GPU another thread may have
// written it, and only a barrier makes that one come first. Accesses through
// different arguments are taken to be apart, as they are in every kernel whose
// result does not depend on how its arguments overlap.
//
//===----------------------------------------------------------------------===//

#include "SharedUse.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAORDERACCESSES
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// True if both go to the same elements, each by the same thread.
bool haveSamePlaces(tts::AccessOpInterface a, tts::AccessOpInterface b) {
  return a.getTileType() && a.getTileType() == b.getTileType() &&
         !a.hasOffsetPerElement() && a.getOffset() == b.getOffset() &&
         a.getMask() == b.getMask() && a.getDimensions() == b.getDimensions();
}

/// An access that no barrier has followed yet.
struct PendingAccess {
  tts::AccessOpInterface access;
  /// Of an earlier turn of a loop, where its operands had other values.
  bool isEarlierTurn;

  bool operator==(const PendingAccess &other) const {
    return access == other.access && isEarlierTurn == other.isEarlierTurn;
  }
};

using PendingAccesses = SmallVector<PendingAccess>;

struct CtaOrderAccesses
    : triton_shared::impl::CtaOrderAccessesBase<CtaOrderAccesses> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (cta::getNumWarps(function)) {
        PendingAccesses pending;
        follow(function.getBody().front(), pending);
      }
  }

private:
  static bool needsBarrier(tts::AccessOpInterface access,
                           const PendingAccesses &pending) {
    return llvm::any_of(pending, [&](PendingAccess earlier) {
      if (earlier.access.getBase() != access.getBase() ||
          (!access.isWrite() && !earlier.access.isWrite()))
        return false;
      return earlier.isEarlierTurn || !haveSamePlaces(earlier.access, access);
    });
  }

  static void add(PendingAccesses &pending, PendingAccess access) {
    if (!llvm::is_contained(pending, access))
      pending.push_back(access);
  }

  /// Follows `block` from what is pending at its begin to what is at its end.
  void follow(Block &block, PendingAccesses &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // Loops that copy do not write there, and wait for all copies at their
      // end.
      if (isBarrier(&op))
        pending.clear();
      if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
        followRegions(op, pending);
      if (auto parted = dyn_cast<cta::SpecializeOp>(op))
        follow(parted.getConsumers().front(), pending);
      Operation *inner = &op;
      if (auto copy = dyn_cast<cta::CopyOp>(op))
        inner = &copy.getLoad().front().front();
      auto access = dyn_cast<tts::AccessOpInterface>(inner);
      // One that waits finds what was written, whenever that comes.
      if (!access || access.waits())
        continue;
      if (needsBarrier(access, pending)) {
        OpBuilder builder(&op);
        gpu::BarrierOp::create(builder, op.getLoc());
        pending.clear();
      }
      add(pending, {access, /*isEarlierTurn=*/false});
    }
  }

  /// The regions of a loop run again after themselves; each may not run at all.
  void followRegions(Operation &op, PendingAccesses &pending) {
    bool isLoop = !isa<scf::IfOp>(op);
    PendingAccesses after = pending;
    for (unsigned turn = 0; turn < (isLoop ? 2 : 1); ++turn) {
      PendingAccesses before = after;
      for (Region &region : op.getRegions())
        for (Block &block : region) {
          PendingAccesses inside = before;
          follow(block, inside);
          for (PendingAccess access : inside)
            add(after, access);
        }
      for (PendingAccess &access : after)
        access.isEarlierTurn |= isLoop && op.isProperAncestor(access.access);
    }
    pending = after;
  }
};

} // namespace
