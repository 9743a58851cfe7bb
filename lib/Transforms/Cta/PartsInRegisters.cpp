//===- PartsInRegisters.cpp - Layouts in which parts need not move --------===//
//
// A layout is followed from a tile to the slices that are taken of it. Lanes
// and warps keep their numbers on the way, so a bit of theirs that tells parts
// apart changes places with a register where the way begins.
//
//===----------------------------------------------------------------------===//

#include "PartsInRegisters.h"
#include "LayoutRules.h"

#include "triton-shared/Layout/LayoutParts.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

/// What is further away than so many tiles is not looked at.
static constexpr unsigned kMostTiles = 64;

/// The bits of threads' numbers that tell the parts apart which are taken of
/// `tile`, or of what is made of it, if that has `layout`.
static SmallVector<cta::ThreadBit> findMovedBits(Value tile,
                                                 const LinearLayout &layout) {
  SmallVector<cta::ThreadBit> found;
  SmallVector<std::pair<Value, LinearLayout>> waiting = {{tile, layout}};
  llvm::SmallPtrSet<void *, 16> seen;
  while (!waiting.empty() && seen.size() < kMostTiles) {
    auto [next, current] = waiting.pop_back_val();
    if (!seen.insert(next.getAsOpaquePointer()).second)
      continue;
    for (Operation *user : next.getUsers()) {
      if (auto slice = dyn_cast<cta::SliceOp>(user))
        llvm::append_range(
            found, cta::findThreadBits(current, slice.getType().getShape()));
      for (const cta::LayoutRelation &relation : getLayoutRelations(user, next))
        if (!llvm::is_contained(user->getOperands(), relation.related))
          waiting.push_back({relation.related, relation.follow(current)});
    }
  }
  return found;
}

LinearLayout triton_shared::keepPartsInRegisters(
    Value tile, const LinearLayout &layout,
    llvm::function_ref<bool(const LinearLayout &)> isGood) {
  LinearLayout best = layout;
  SmallVector<cta::ThreadBit> moved = findMovedBits(tile, best);
  auto improve = [&](cta::ThreadBit bit) {
    // The last registers are the furthest from being neighbours. One more would
    // be a thread that computes what another one does: that is little only
    // where each has one element.
    unsigned count = best.getRegisters().size();
    for (unsigned i = 0; i < std::max(count, 1u); ++i) {
      LinearLayout other = cta::swapBits(best, bit, count ? count - 1 - i : 0);
      if (!isGood(other))
        continue;
      SmallVector<cta::ThreadBit> left = findMovedBits(tile, other);
      if (left.size() >= moved.size())
        continue;
      best = other;
      moved = left;
      return true;
    }
    return false;
  };
  while (llvm::any_of(SmallVector<cta::ThreadBit>(moved), improve))
    ;
  return best;
}
