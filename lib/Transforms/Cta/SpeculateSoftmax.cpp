//===- SpeculateSoftmax.cpp - Powers before the maximum is known ----------===//
//
// A turn of a softmax looks for its largest score before it computes a power.
// Mostly that is no larger than those before, or not by much. So the turn
// computes its powers relative to the number that is there, and looks at their
// sums, which it needs anyway: where one is too large, or no number, the warp
// computes the turn as it was.
//
//===----------------------------------------------------------------------===//

#include "ScoresAgain.h"
#include "TakenValues.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
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
    if (!end || !shrink || sums.empty() ||
        !llvm::all_of(uses, [&](Operation *op) { return holdsPowers(op); }) ||
        !llvm::all_of(late, [&](Operation *op) { return holdsPowers(op); }))
      return false;
    return findScores();
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
          IRMapping again;
          if (scores)
            again.map(scores->getWaited().getResult(), scores->compute(inside));
          for (Operation &op : *reference->getBlock())
            if (isInside(&op) || made.contains(&op))
              inside.clone(op, again);
          yield(inside, loc, results, again);
        },
        [&](OpBuilder &inside, Location) {
          yield(inside, loc, results, early);
        });
    for (auto [old, now] : llvm::zip_equal(results, choice.getResults()))
      old.replaceUsesWithIf(now, [&](OpOperand &use) {
        return !isInside(use.getOwner()) && !choice->isAncestor(use.getOwner());
      });
    Operation *last = choice;
    if (scores)
      scores->keepOperandsUntil(choice);
    for (Operation *op : late) {
      op->moveAfter(last);
      last = op;
    }
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

  /// Finds what is computed from it, and what waits for something else: what
  /// comes behind that takes the results, or is computed with the powers if
  /// nothing keeps it from that.
  void findUses() {
    for (Operation *op = reference->getNextNode(); op; op = op->getNextNode()) {
      bool isLast = op->hasTrait<OpTrait::IsTerminator>();
      bool waits = !isMemoryEffectFree(op) && !isa<cta::ArriveOp>(op);
      if (!end && (isLast || waits || (dependsOnNumber(op) && !isOfWarps(op))))
        end = op;
      if (isLast || !dependsOnNumber(op) || !isOfWarps(op))
        continue;
      if (end && !llvm::all_of(op->getOperands(),
                               [&](Value value) { return isThere(value); }))
        continue;
      // Powers are in the place of scores until nobody reads the registers any
      // more that they go to as what is multiplied.
      if (!end && (isa<arith::TruncFOp>(op) || takesLate(op))) {
        late.push_back(op);
      } else {
        uses.push_back(op);
        note(op);
      }
    }
  }

  /// Finds the scores, and what is made of them before there is a number. False
  /// if threads would have to keep them, and another product goes on with what
  /// it adds to and reads in registers.
  bool findScores() {
    cta::WaitDotOp waited;
    for (Operation *op = reference->getPrevNode(); op && !waited;
         op = op->getPrevNode())
      waited = dyn_cast<cta::WaitDotOp>(op);
    if (!waited)
      return true;
    scores = ScoresAgain::find(waited);
    if (scores && collectMade(waited))
      return true;
    scores.reset();
    return waited.getPending() == 0;
  }

  /// False if something that is made of them waits for other warps.
  bool collectMade(cta::WaitDotOp waited) {
    llvm::SmallDenseSet<Value> ofScores = {waited.getResult()};
    for (Operation *op = waited->getNextNode(); op != end;
         op = op->getNextNode()) {
      bool isMade =
          op != reference && !llvm::is_contained(uses, op) &&
          !llvm::is_contained(late, op) &&
          takesAny(op, [&](Value value) { return ofScores.contains(value); });
      if (!isMade)
        continue;
      if (!isOfWarps(op))
        return false;
      ofScores.insert(op->result_begin(), op->result_end());
      made.insert(op);
    }
    return true;
  }

  bool dependsOnNumber(Operation *op) const {
    return takesAny(
        op, [&](Value value) { return isInside(value.getDefiningOp()); });
  }

  bool isInside(Operation *op) const {
    return op && (op == reference || llvm::is_contained(uses, op) ||
                  llvm::is_contained(search, op));
  }

  bool takesLate(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value value) {
      return llvm::is_contained(late, value.getDefiningOp());
    });
  }

  /// True if it is computed before the first operation that waits.
  bool isThere(Value value) const {
    Operation *op = value.getDefiningOp();
    return !op || op->getBlock() != end->getBlock() || isInside(op) ||
           (op->isBeforeInBlock(end) && !llvm::is_contained(late, op));
  }

  /// Keeps what tells whether the number of the turn before was right.
  void note(Operation *op) {
    if (op->hasAttr(cta::kRelative))
      shrink = op;
    auto reduce = dyn_cast<cta::ReduceOp>(op);
    if (!reduce || !cta::addsUp(reduce))
      return;
    Operation *power = findSummedUp(reduce);
    if (isa_and_nonnull<math::ExpOp, math::Exp2Op>(power))
      sums[power] = reduce.getResult(0);
  }

  /// What `reduce` adds up, maybe in several steps.
  static Operation *findSummedUp(cta::ReduceOp reduce) {
    Operation *op = reduce.getSources().front().getDefiningOp();
    while (isa_and_nonnull<cta::ReshapeOp>(op) ||
           (isa_and_nonnull<cta::ReduceOp>(op) &&
            cta::addsUp(cast<cta::ReduceOp>(op))))
      op = op->getOperand(0).getDefiningOp();
    return op;
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

  /// True where a sum is too large or no number, or where what was there before
  /// would have been multiplied by something else than one.
  Value createIsWrong(OpBuilder &builder, Location loc,
                      const IRMapping &early) const {
    SmallVector<Value> wrong;
    auto add = [&](arith::CmpFPredicate predicate, Value tile, double number) {
      wrong.push_back(arith::CmpFOp::create(builder, loc, predicate, tile,
                                            createTile(builder, tile, number)));
    };
    if (!isSubtractedAsItIs())
      add(arith::CmpFPredicate::UNE,
          early.lookupOrDefault(shrink->getOperand(0)), 0);
    for (auto [power, sum] : sums)
      add(arith::CmpFPredicate::UGT, early.lookup(sum), kLargestSum);
    return cta::WarpAnyOp::create(builder, loc, builder.getI1Type(), wrong);
  }

  /// True if everything is relative to the number itself: if it was infinite,
  /// in a row without a score so far, sums tell.
  bool isSubtractedAsItIs() const {
    auto difference = shrink->getOperand(0).getDefiningOp<arith::SubFOp>();
    return difference && difference.getLhs() == before &&
           difference.getRhs().getDefiningOp() == reference &&
           llvm::none_of(uses, [](Operation *op) {
             return isa<arith::SelectOp, arith::CmpFOp>(op);
           });
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
  /// In their order; of what is computed from the number, what is not computed
  /// in the branch.
  SmallVector<Operation *> search, uses, late;
  /// The first operation behind the number that waits for something else.
  Operation *end = nullptr;
  /// The power of what the number has changed by.
  Operation *shrink = nullptr;
  /// By the powers that are summed up.
  llvm::SmallMapVector<Operation *, Value, 2> sums;
  /// Scores that are computed again, and what is made of them before there is a
  /// number.
  std::optional<ScoresAgain> scores;
  llvm::SmallDenseSet<Operation *> made;
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
