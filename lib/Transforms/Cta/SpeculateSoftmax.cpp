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
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASPECULATESOFTMAX
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

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

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// The instruction with which one warp multiplies what `dot` does with three
/// others; null if there is none.
static cta::MmaAttr findMmaOfWarp(cta::DotOp dot) {
  Type operand = cta::DotOp::getOperandElementType(dot.getA());
  bool isKnown = (operand.isF16() || operand.isBF16()) &&
                 operand == cta::DotOp::getOperandElementType(dot.getB()) &&
                 getElementTypeOrSelf(dot.getType()).isF32();
  return isKnown ? cta::MmaAttr::get(dot.getContext(), 16, 8, 16, operand)
                 : nullptr;
}

namespace {

/// The scores of a turn, which a warp can compute again from their operands in
/// shared memory: then no thread keeps them beside their powers.
class Scores {
public:
  /// Those that `waited` is; nothing if they cannot be computed again.
  static std::optional<Scores> find(cta::WaitDotOp waited) {
    auto dot = waited.getSource().getDefiningOp<cta::DotOp>();
    if (!dot || !dot.getWgmma() || dot.getPartialDepth() ||
        !dot.isReadFromShared(dot.getAMutable()) ||
        !dot.isReadFromShared(dot.getBMutable()) ||
        !matchPattern(dot.getAccumulator(), m_AnyZeroFloat()))
      return std::nullopt;
    cta::MmaAttr mma = findMmaOfWarp(dot);
    RankedTensorType tile = cta::getTile(dot.getResult());
    LinearLayout layout = cta::getLayout(tile);
    if (!mma || cta::getResultLayout(tile.getShape(), mma,
                                     cta::readWarpGrid(layout, mma)) != layout)
      return std::nullopt;
    Scores scores(waited, dot, mma);
    for (Operation *op = waited->getNextNode(); op; op = op->getNextNode())
      if (auto arrive = dyn_cast<cta::ArriveOp>(op))
        scores.releases.push_back(arrive);
      else if (!isMemoryEffectFree(op))
        break;
    if (scores.releases.size() != 1)
      return std::nullopt;
    return scores;
  }

  cta::WaitDotOp getWaited() const { return waited; }

  /// Computes them, by the warps that come here: some columns at a time, and
  /// step by step, as operands have no place in registers beside what the loop
  /// carries and the scores.
  Value computeAgain(OpBuilder &builder) const {
    cta::DotOp product = dot;
    Value all = product.getAccumulator();
    RankedTensorType tile = cta::getTile(all);
    int64_t columns = tile.getDimSize(1);
    int64_t some = std::min(kColumnsAtOnce, columns);
    for (int64_t first = 0; first < columns; first += some) {
      Value part = computePart(builder, first, some);
      all = cta::InsertSliceOp::create(builder, product.getLoc(), part, all,
                                       ArrayRef<int64_t>{0, first});
    }
    return all;
  }

  /// Gives the operands back behind `last`, each warp for itself.
  void keepOperandsUntil(Operation *last) const {
    for (cta::ArriveOp release : releases) {
      release->moveAfter(last);
      auto barriers = release.getMbarriers().getDefiningOp<cta::MbarriersOp>();
      if (release.getByWarps())
        continue;
      barriers.setArrivals(barriers.getArrivals() * GpuTarget::kWarpgroupWarps);
      for (Operation *user : barriers->getUsers())
        if (auto arrive = dyn_cast<cta::ArriveOp>(user))
          arrive.setByWarps(true);
    }
  }

private:
  Scores(cta::WaitDotOp waited, cta::DotOp dot, cta::MmaAttr mma)
      : waited(waited), dot(dot), mma(mma) {}

  /// So many columns, from `first` on.
  Value computePart(OpBuilder &builder, int64_t first, int64_t columns) const {
    cta::DotOp product = dot;
    Location loc = product.getLoc();
    RankedTensorType tile = cta::getTile(product.getResult());
    SmallVector<int64_t> shape = {tile.getDimSize(0), columns};
    auto type = cast<RankedTensorType>(cta::withLayout(
        RankedTensorType::get(shape, tile.getElementType()),
        cta::getResultLayout(shape, mma,
                             cta::readWarpGrid(cta::getLayout(tile), mma))));
    Value sum =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    int64_t depth = cta::DotOp::getOperandShape(product.getA())[1];
    for (int64_t k = 0; k < depth; k += mma.getK()) {
      Value left = read(builder, product.getA(), product.getASlot(), {0, k},
                        {shape[0], mma.getK()});
      Value right = read(builder, product.getB(), product.getBSlot(),
                         {k, first}, {mma.getK(), columns});
      auto step = cta::DotOp::create(builder, loc, left, right, sum,
                                     product.getPrecisionAttr(), mma);
      left.setType(
          cta::withLayout(left.getType(), cta::getLeftOperandLayout(step)));
      right.setType(
          cta::withLayout(right.getType(), cta::getRightOperandLayout(step)));
      sum = step;
    }
    return sum;
  }

  /// A part of an operand that has no layout yet.
  static Value read(OpBuilder &builder, Value buffer, Value slot,
                    ArrayRef<int64_t> offsets, ArrayRef<int64_t> shape) {
    auto type = cast<cta::BufferType>(buffer.getType());
    return cta::ReadOp::create(
        builder, buffer.getLoc(),
        RankedTensorType::get(shape, type.getElementType()), buffer, slot,
        offsets);
  }

  static constexpr int64_t kColumnsAtOnce = 32;

  cta::WaitDotOp waited;
  cta::DotOp dot;
  cta::MmaAttr mma;
  /// What gives their operands back.
  SmallVector<cta::ArriveOp> releases;
};

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

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
    findScores();
    return true;
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
            again.map(scores->getWaited().getResult(),
                      scores->computeAgain(inside));
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

  /// Finds the scores, and what is made of them before there is a number.
  void findScores() {
    for (Operation *op = reference->getPrevNode(); op && !scores;
         op = op->getPrevNode())
      if (auto waited = dyn_cast<cta::WaitDotOp>(op))
        scores = Scores::find(waited);
    if (!scores)
      return;
    llvm::SmallDenseSet<Value> ofScores = {scores->getWaited().getResult()};
    for (Operation *op = scores->getWaited()->getNextNode(); op != end;
         op = op->getNextNode()) {
      if (op == reference || llvm::is_contained(uses, op) ||
          llvm::is_contained(late, op))
        continue;
      WalkResult walked = op->walk([&](Operation *inner) {
        bool takes = llvm::any_of(inner->getOperands(), [&](Value value) {
          return ofScores.contains(value);
        });
        return takes ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (!walked.wasInterrupted())
        continue;
      if (!isOfWarps(op)) {
        scores.reset();
        return;
      }
      ofScores.insert(op->result_begin(), op->result_end());
      made.insert(op);
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
    if (!reduce || reduce.getSources().size() != 1)
      return;
    Block &body = reduce.getCombine().front();
    Operation *power = findSummedUp(reduce);
    if (isa_and_nonnull<math::ExpOp, math::Exp2Op>(power) &&
        llvm::hasSingleElement(body.without_terminator()) &&
        isa<arith::AddFOp>(body.front()))
      sums[power] = reduce.getResult(0);
  }

  /// What `reduce` adds up, maybe in several steps.
  Operation *findSummedUp(cta::ReduceOp reduce) const {
    Operation *op = reduce.getSources().front().getDefiningOp();
    while (auto reshape = dyn_cast_or_null<cta::ReshapeOp>(op))
      op = reshape.getSource().getDefiningOp();
    auto inner = dyn_cast_or_null<cta::ReduceOp>(op);
    if (!inner)
      return op;
    for (auto [power, sum] : sums)
      if (sum == inner.getResult(0))
        return power;
    return nullptr;
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
  std::optional<Scores> scores;
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
