//===- SpeculateSoftmax.cpp - Powers before the maximum is known ----------===//
//
// A turn of a softmax looks for its largest score before it computes a power.
// Mostly that is no larger than those before, or not by much. So the turn
// computes its powers relative to the number that is there, and looks at their
// sums, which it needs anyway: where one is too large, or no number, the warp
// computes the turn as it was.
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASPECULATESOFTMAX
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// The largest sum of a row's powers that is good enough: f16 holds each of
/// them.
static constexpr double kLargestSum = 0x1p15;

/// True if `op` may be computed anywhere in the loop, by some warps and not by
/// others.
static bool isOfWarps(Operation *op) {
  auto ofCta = dyn_cast<cta::CtaOpInterface>(op);
  return isPure(op) && !isa<cta::DotOp>(op) &&
         (!ofCta || ofCta.getSharedBytes() == 0);
}

namespace {

/// What a turn computes from the number that its powers are relative to.
class SoftmaxTurn {
public:
  explicit SoftmaxTurn(arith::SelectOp reference)
      : reference(reference), before(reference.getTrueValue()) {}

  /// False if it cannot be computed relative to the number of the turn before,
  /// or nothing tells whether that was right.
  bool isKnown() {
    auto loop = dyn_cast<scf::ForOp>(reference->getParentOp());
    if (!loop || !isa<BlockArgument>(before) || !isOfWarps(reference))
      return false;
    findSearch();
    findUses();
    return end && shrink && !sums.empty() &&
           llvm::all_of(uses, [&](Operation *op) { return holdsPowers(op); });
  }

  void speculate() {
    OpBuilder builder(end);
    Location loc = reference.getLoc();
    IRMapping early;
    early.map(reference.getResult(), before);
    for (Operation *op : uses) {
      if (auto rescale = dyn_cast<cta::RescaleOp>(op)) {
        early.map(op->getResult(0), early.lookupOrDefault(rescale.getSource()));
        continue;
      }
      builder.clone(*op, early);
      // So it is where `createIsWrong` has nothing to say.
      if (op == shrink)
        early.map(op->getResult(0), createTile(builder, op->getResult(0), 1));
    }
    SmallVector<Value> results = findResults();
    auto choice = scf::IfOp::create(
        builder, loc, createIsWrong(builder, loc, early),
        [&](OpBuilder &inside, Location) {
          IRMapping late;
          for (Operation *op : search)
            inside.clone(*op, late);
          inside.clone(*reference, late);
          for (Operation *op : uses)
            inside.clone(*op, late);
          yield(inside, loc, results, late);
        },
        [&](OpBuilder &inside, Location) {
          yield(inside, loc, results, early);
        });
    for (auto [old, now] : llvm::zip_equal(results, choice.getResults()))
      old.replaceUsesWithIf(now, [&](OpOperand &use) {
        return !isInside(use.getOwner()) && !choice->isAncestor(use.getOwner());
      });
    for (Operation *op : llvm::reverse(uses))
      op->erase();
    reference->erase();
    for (Operation *op : llvm::reverse(search))
      op->erase();
  }

private:
  /// Finds what only the number is computed from.
  void findSearch() {
    BackwardSliceOptions options;
    options.filter = [&](Operation *op) {
      return op->getBlock() == reference->getBlock() && isOfWarps(op);
    };
    SetVector<Operation *> slice;
    (void)getBackwardSlice(reference.getOperation(), &slice, options);
    llvm::SmallDenseSet<Operation *> only = {reference};
    for (Operation *op : llvm::reverse(slice)) {
      bool isOnly = llvm::all_of(op->getUsers(), [&](Operation *user) {
        return only.contains(
            reference->getBlock()->findAncestorOpInBlock(*user));
      });
      if (isOnly && only.insert(op).second)
        search.push_back(op);
    }
    std::reverse(search.begin(), search.end());
  }

  /// Finds what is computed from it, and where something else asks for that.
  void findUses() {
    for (Operation *op = reference->getNextNode(); op; op = op->getNextNode()) {
      if (!dependsOnNumber(op))
        continue;
      if (!op->hasTrait<OpTrait::IsTerminator>() && isOfWarps(op) &&
          (!end || llvm::all_of(op->getOperands(),
                                [&](Value value) { return isThere(value); }))) {
        uses.push_back(op);
        note(op);
      } else if (!end) {
        end = op;
      }
    }
  }

  bool dependsOnNumber(Operation *op) const {
    WalkResult walked = op->walk([&](Operation *inner) {
      bool isUse = llvm::any_of(inner->getOperands(), [&](Value value) {
        return isInside(value.getDefiningOp());
      });
      return isUse ? WalkResult::interrupt() : WalkResult::advance();
    });
    return walked.wasInterrupted();
  }

  bool isInside(Operation *op) const {
    return op && (op == reference || llvm::is_contained(uses, op) ||
                  llvm::is_contained(search, op));
  }

  /// True if it is computed before the first operation that waits.
  bool isThere(Value value) const {
    Operation *op = value.getDefiningOp();
    return !op || op->getBlock() != end->getBlock() || isInside(op) ||
           op->isBeforeInBlock(end);
  }

  /// Keeps what tells whether the number of the turn before was right.
  void note(Operation *op) {
    if (op->hasAttr(cta::kRelative))
      shrink = op;
    auto reduce = dyn_cast<cta::ReduceOp>(op);
    if (!reduce || reduce.getSources().size() != 1)
      return;
    Block &body = reduce.getCombine().front();
    Operation *power = reduce.getSources().front().getDefiningOp();
    if (isa_and_nonnull<math::ExpOp, math::Exp2Op>(power) &&
        llvm::hasSingleElement(body.without_terminator()) &&
        isa<arith::AddFOp>(body.front()))
      sums[power] = reduce.getResult(0);
  }

  /// True if `op` is no power whose size nobody asks about.
  bool holdsPowers(Operation *op) const {
    if (isa<math::ExpOp, math::Exp2Op>(op))
      return op == shrink || sums.contains(op);
    auto narrow = dyn_cast<arith::TruncFOp>(op);
    if (!narrow)
      return true;
    auto type = cast<FloatType>(getElementTypeOrSelf(narrow.getType()));
    APFloat largest = APFloat::getLargest(type.getFloatSemantics());
    bool isLost;
    largest.convert(APFloat::IEEEdouble(), APFloat::rmTowardZero, &isLost);
    return largest.convertToDouble() >= kLargestSum;
  }

  /// Results of the turn that the rest of the loop asks for.
  SmallVector<Value> findResults() {
    SmallVector<Value> results;
    auto add = [&](Value value) {
      if (llvm::any_of(value.getUsers(), [&](Operation *user) {
            return !isInside(
                reference->getBlock()->findAncestorOpInBlock(*user));
          }))
        results.push_back(value);
    };
    add(reference.getResult());
    for (Operation *op : uses)
      llvm::for_each(op->getResults(), add);
    return results;
  }

  /// True where what was there before would have been multiplied by something
  /// else than one, or a sum is too large or no number.
  Value createIsWrong(OpBuilder &builder, Location loc,
                      const IRMapping &early) const {
    SmallVector<Value> wrong = {
        compare(builder, loc, arith::CmpFPredicate::UNE,
                early.lookupOrDefault(shrink->getOperand(0)), 0)};
    for (auto [power, sum] : sums)
      wrong.push_back(compare(builder, loc, arith::CmpFPredicate::UGT,
                              early.lookup(sum), kLargestSum));
    return cta::WarpAnyOp::create(builder, loc, builder.getI1Type(), wrong);
  }

  static Value compare(OpBuilder &builder, Location loc,
                       arith::CmpFPredicate predicate, Value tile,
                       double number) {
    return arith::CmpFOp::create(builder, loc, predicate, tile,
                                 createTile(builder, tile, number));
  }

  /// A tile like `like` of one number.
  static Value createTile(OpBuilder &builder, Value like, double number) {
    auto type = cta::getTile(like);
    return arith::ConstantOp::create(
        builder, like.getLoc(),
        DenseElementsAttr::get(
            type, builder.getFloatAttr(type.getElementType(), number)));
  }

  static void yield(OpBuilder &builder, Location loc, ArrayRef<Value> results,
                    const IRMapping &computed) {
    scf::YieldOp::create(builder, loc,
                         llvm::map_to_vector(results, [&](Value value) {
                           return computed.lookupOrDefault(value);
                         }));
  }

  arith::SelectOp reference;
  Value before;
  /// In their order.
  SmallVector<Operation *> search, uses;
  /// The first operation that asks for any of it and is not computed with it.
  Operation *end = nullptr;
  /// The power of what the number has changed by.
  Operation *shrink = nullptr;
  /// By the powers that are summed up.
  llvm::SmallMapVector<Operation *, Value, 2> sums;
};

struct CtaSpeculateSoftmax
    : triton_shared::impl::CtaSpeculateSoftmaxBase<CtaSpeculateSoftmax> {
  void runOnOperation() override {
    SmallVector<arith::SelectOp> references;
    getOperation().walk([&](arith::SelectOp op) {
      if (op->hasAttr(cta::kRelative))
        references.push_back(op);
    });
    for (arith::SelectOp reference : references)
      if (SoftmaxTurn turn(reference); turn.isKnown())
        turn.speculate();
  }
};

} // namespace
