//===- OrderAccesses.cpp - Who may see what was written -------------------===//
//
// A program reads what it has written before. On a GPU another thread may have
// written it, and only a barrier makes that one come first, unless who has
// written it alone needs what is read: single elements are all stored by one
// thread. Accesses through different arguments are taken to be apart, as they
// are in every kernel whose result does not depend on how its arguments
// overlap.
//
//===----------------------------------------------------------------------===//

#include "AccessPlaces.h"
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

/// An access that no barrier has followed yet.
struct PendingAccess {
  tts::AccessOpInterface access;
  /// The loops of which that was an earlier turn, where operands had other
  /// values.
  SmallVector<Operation *, 2> earlierTurns;

  bool operator==(const PendingAccess &other) const {
    return access == other.access && earlierTurns == other.earlierTurns;
  }
};

using PendingAccesses = SmallVector<PendingAccess>;

/// What `op` accesses; null if nobody has to be ordered before or behind it.
tts::AccessOpInterface getAccess(Operation *op) {
  if (auto copy = dyn_cast<cta::CopyOp>(op))
    op = &copy.getLoad().front().front();
  auto access = dyn_cast<tts::AccessOpInterface>(op);
  // One that waits finds what was written, whenever that comes.
  return access && !access.waits() ? access : nullptr;
}

/// True for what runs its regions as a part of the program.
bool isControl(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op);
}

/// True for updates of which the result does not depend on their order.
bool commutes(tts::AtomicKind kind) {
  return kind != tts::AtomicKind::Exchange &&
         kind != tts::AtomicKind::Increment &&
         kind != tts::AtomicKind::Decrement;
}

/// True if nobody can tell which of two updates came first.
bool canExchange(tts::AccessOpInterface a, tts::AccessOpInterface b) {
  auto isFree = [](tts::AtomicRMWOp op) {
    return op && op.getOrder() == tts::MemoryOrder::Relaxed && op.use_empty();
  };
  auto one = dyn_cast<tts::AtomicRMWOp>(*a),
       other = dyn_cast<tts::AtomicRMWOp>(*b);
  return isFree(one) && isFree(other) && one.getKind() == other.getKind() &&
         commutes(one.getKind());
}

/// The values that have what `use` passes on, in a loop or out of a branch;
/// none if it decides where the program goes.
SmallVector<Value> getPassed(OpOperand &use) {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    if (number < loop.getNumControlOperands())
      return {};
    return {loop.getTiedLoopRegionIterArg(&use), loop.getTiedLoopResult(&use)};
  }
  if (!isa<scf::YieldOp>(user))
    return {};
  if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp()))
    return {loop.getRegionIterArg(number), loop.getResult(number)};
  if (auto branch = dyn_cast<scf::IfOp>(user->getParentOp()))
    return {branch.getResult(number)};
  return {};
}

/// True if nobody but who stores single elements needs `value`: that is one
/// thread, the same each time.
bool isForSingleStores(Value value) {
  SmallVector<Value> waiting = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!waiting.empty()) {
    Value next = waiting.pop_back_val();
    if (isa<RankedTensorType>(next.getType()))
      return false;
    if (!seen.insert(next).second)
      continue;
    for (OpOperand &use : next.getUses()) {
      Operation *user = use.getOwner();
      auto store = dyn_cast<tts::StoreOp>(user);
      if (store && !store.getTileType())
        continue;
      SmallVector<Value> passed = getPassed(use);
      if (isMemoryEffectFree(user) && user->getNumRegions() == 0 &&
          user->getNumResults())
        llvm::append_range(passed, user->getResults());
      if (passed.empty())
        return false;
      llvm::append_range(waiting, passed);
    }
  }
  return true;
}

/// Puts barriers into one function.
class AccessOrder {
public:
  explicit AccessOrder(func::FuncOp function) : places(function) {
    PendingAccesses pending;
    follow(function.getBody().front(), pending);
  }

private:
  bool isAfter(PendingAccess &earlier, tts::AccessOpInterface later) {
    scf::ForOp loop = nullptr;
    for (Operation *one : earlier.earlierTurns) {
      // Behind a loop, what depends on its turn has no known distance.
      if (!one->isProperAncestor(later))
        continue;
      if (loop || !isa<scf::ForOp>(one))
        return false;
      loop = cast<scf::ForOp>(one);
    }
    if (places.areApart(earlier.access, later, loop) ||
        (isOfSingleThread(earlier.access) && isOfSingleThread(later)))
      return true;
    // A copy may be under way when its thread goes on.
    return !earlier.access->getParentOfType<cta::CopyOp>() &&
           !later->getParentOfType<cta::CopyOp>() &&
           places.areOfSameThreads(earlier.access, later, loop);
  }

  /// True for what one thread does, the same for all of these, and for loads
  /// of which it alone needs what they read.
  bool isOfSingleThread(tts::AccessOpInterface access) {
    if (access.getTileType() || access.isAtomic() || access.isVolatile())
      return false;
    auto [known, isNew] = singles.try_emplace(access, access.isWrite());
    if (isNew && !access.isWrite())
      known->second = isForSingleStores(access->getResult(0));
    return known->second;
  }

  bool needsBarrier(tts::AccessOpInterface access, PendingAccesses &pending) {
    return llvm::any_of(pending, [&](PendingAccess &earlier) {
      bool canMeet = earlier.access.getBase() == access.getBase() &&
                     (access.isWrite() || earlier.access.isWrite()) &&
                     !canExchange(earlier.access, access);
      return canMeet && !isAfter(earlier, access);
    });
  }

  static void add(PendingAccesses &pending, PendingAccess access) {
    if (!llvm::is_contained(pending, access))
      pending.push_back(std::move(access));
  }

  static void addBarrier(Operation &op, PendingAccesses &pending) {
    OpBuilder builder(&op);
    gpu::BarrierOp::create(builder, op.getLoc());
    pending.clear();
  }

  /// True if something in `block` has to wait for `pending`; what is still
  /// pending at its end is left there.
  bool meets(Block &block, PendingAccesses &pending) {
    for (Operation &op : block) {
      if (isBarrier(&op))
        pending.clear();
      if (isControl(&op) && meetsRegions(op, pending))
        return true;
      if (tts::AccessOpInterface access = getAccess(&op))
        if (needsBarrier(access, pending))
          return true;
    }
    return false;
  }

  bool meetsRegions(Operation &op, PendingAccesses &pending) {
    PendingAccesses left;
    for (Region &region : op.getRegions())
      for (Block &block : region) {
        PendingAccesses inside = pending;
        if (meets(block, inside))
          return true;
        for (PendingAccess &access : inside)
          add(left, std::move(access));
      }
    // A loop may have no turn, and a branch not be taken.
    bool isAlways = isa<scf::IfOp>(op) && !op.getRegion(1).empty();
    if (isAlways)
      pending = left;
    return false;
  }

  /// Follows `block` from what is pending at its begin to what is at its end.
  void follow(Block &block, PendingAccesses &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // Loops that copy do not write there, and wait for all copies at their
      // end.
      if (isBarrier(&op))
        pending.clear();
      if (isControl(&op))
        followRegions(op, pending);
      if (auto parted = dyn_cast<cta::SpecializeOp>(op))
        follow(parted.getConsumers().front(), pending);
      tts::AccessOpInterface access = getAccess(&op);
      if (!access)
        continue;
      if (needsBarrier(access, pending))
        addBarrier(op, pending);
      add(pending, {access, {}});
    }
  }

  /// The regions of a loop run again after themselves; each may not run at all.
  void followRegions(Operation &op, PendingAccesses &pending) {
    bool isLoop = !isa<scf::IfOp>(op);
    // What was before a loop is waited for once.
    if (isLoop && meetsRegions(op, pending))
      addBarrier(op, pending);
    PendingAccesses after = pending;
    for (unsigned turn = 0; turn < (isLoop ? 2 : 1); ++turn) {
      PendingAccesses before = after;
      for (Region &region : op.getRegions())
        for (Block &block : region) {
          PendingAccesses inside = before;
          follow(block, inside);
          for (PendingAccess &access : inside)
            add(after, std::move(access));
        }
      for (PendingAccess &earlier : after)
        if (isLoop && op.isProperAncestor(earlier.access) &&
            !llvm::is_contained(earlier.earlierTurns, &op))
          earlier.earlierTurns.push_back(&op);
    }
    pending = after;
  }

  AccessPlaces places;
  /// Which accesses are of a single thread, once it was asked.
  DenseMap<Operation *, bool> singles;
};

struct CtaOrderAccesses
    : triton_shared::impl::CtaOrderAccessesBase<CtaOrderAccesses> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (cta::getNumWarps(function))
        AccessOrder order(function);
  }
};

} // namespace
