//===- MaskedValues.cpp - What a mask says about values -------------------===//
//
// Sources repeat a mask: in front of a load, again where its value is chosen.
// What inductor makes of a concatenation loads one block twice, each time
// behind half of the mask, and computes twice what it needs once.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// A load that may be done once for several.
bool isPlain(tt::LoadOp load) {
  return !load.getIsVolatile() && load.getCache() == tt::CacheModifier::NONE;
}

/// True if no operation from `first` to `last`, in one block, writes to memory
/// or waits for somebody who does.
bool isUnchangedBetween(Operation *first, Operation *last) {
  for (Operation *op = first->getNextNode(); op != last; op = op->getNextNode())
    if (!op || !(isMemoryEffectFree(op) || isa<tt::LoadOp>(op)))
      return false;
  return true;
}

/// A load behind a mask of what has just been loaded without one chooses from
/// that.
struct ShareLoad : OpRewritePattern<tt::LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tt::LoadOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMask() || !isPlain(op))
      return rewriter.notifyMatchFailure(op,
                                         "loads all, or in a way of its own");
    tt::LoadOp whole = findWhole(op);
    if (!whole)
      return rewriter.notifyMatchFailure(op, "is not loaded before");
    Value value = whole.getResult();
    if (op.getOther())
      value = arith::SelectOp::create(rewriter, op.getLoc(), op.getMask(),
                                      value, op.getOther());
    rewriter.replaceOp(op, value);
    return success();
  }

private:
  static tt::LoadOp findWhole(tt::LoadOp masked) {
    for (Operation *user : masked.getPtr().getUsers()) {
      auto load = dyn_cast<tt::LoadOp>(user);
      if (load && !load.getMask() && isPlain(load) &&
          load->getBlock() == masked->getBlock() &&
          load->isBeforeInBlock(masked) && isUnchangedBetween(load, masked))
        return load;
    }
    return nullptr;
  }
};

/// `where(m, f(where(m, a, b)), c)` is `where(m, f(a), c)`.
struct AssumeMask : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    OpOperand *known = findKnown(op.getTrueValueMutable(), op.getCondition());
    bool holds = known;
    if (!known)
      known = findKnown(op.getFalseValueMutable(), op.getCondition());
    if (!known)
      return rewriter.notifyMatchFailure(op, "chooses once");
    auto inner = known->get().getDefiningOp<arith::SelectOp>();
    Value value = holds ? inner.getTrueValue() : inner.getFalseValue();
    rewriter.modifyOpInPlace(known->getOwner(), [&] { known->set(value); });
    return success();
  }

private:
  static constexpr unsigned kDeepest = 16;

  /// Where a value is chosen by `mask` that only `use` needs, through nothing
  /// but operations on elements that may as well have other operands.
  static OpOperand *findKnown(OpOperand &use, Value mask, unsigned depth = 0) {
    Operation *op = use.get().getDefiningOp();
    if (!op || depth == kDeepest)
      return nullptr;
    if (auto inner = dyn_cast<arith::SelectOp>(op);
        inner && inner.getCondition() == mask)
      return &use;
    if (!op->hasOneUse() || !isPure(op) ||
        !OpTrait::hasElementwiseMappableTraits(op))
      return nullptr;
    for (OpOperand &operand : op->getOpOperands())
      if (OpOperand *found = findKnown(operand, mask, depth + 1))
        return found;
    return nullptr;
  }
};

} // namespace

void triton_shared::populateMaskedValues(RewritePatternSet &patterns) {
  patterns.add<AssumeMask, ShareLoad>(patterns.getContext());
}
