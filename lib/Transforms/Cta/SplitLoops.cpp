//===- SplitLoops.cpp - Turns in which masks cut nothing ------------------===//
//
// Of the blocks of scores in causal attention only those on the diagonal are
// cut by a mask. A loop over all of them compares and chooses in each turn, and
// has no registers left for what the next turn could begin. The turns in which
// the mask is true everywhere get a loop of their own, without it.
//
//===----------------------------------------------------------------------===//

#include "AheadLoads.h"
#include "IndexValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "triton-shared/Analysis/LoopMasks.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/IndexNumbers.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASPLITLOOPS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// A loop, what its masks are made of, and in which turns all that is true.
struct MaskedLoop {
  scf::ForOp loop;
  int64_t step = 0;
  llvm::SetVector<arith::CmpIOp> compares;
  /// Whose bounds, of some dimensions, cut nothing where the masks do not.
  SmallVector<std::pair<tts::LoadOp, SmallVector<unsigned>>> loads;
  SmallVector<MaskMargin> margins;
};

/// The choices of a loop between tiles of which a thread has many elements.
SmallVector<arith::SelectOp> findChoices(scf::ForOp loop, int64_t warps) {
  constexpr int64_t kLeastPerThread = 32;
  SmallVector<arith::SelectOp> found;
  for (auto select : loop.getBody()->getOps<arith::SelectOp>()) {
    auto mask = dyn_cast<RankedTensorType>(select.getCondition().getType());
    if (mask &&
        mask.getNumElements() >= kLeastPerThread * GpuTarget::kWarpSize * warps)
      found.push_back(select);
  }
  return found;
}

/// Adds the comparisons that make `mask` true where all of them are.
void addCompares(Value mask, llvm::SetVector<arith::CmpIOp> &compares) {
  Operation *op = mask.getDefiningOp();
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
    compares.insert(compare);
  else if (isa_and_nonnull<arith::AndIOp, arith::OrIOp, cta::ReshapeOp,
                           cta::BroadcastOp, cta::TransposeOp, cta::SplatOp>(
               op))
    for (Value operand : op->getOperands())
      addCompares(operand, compares);
}

/// Finds what is masked in one loop.
class MaskFinder {
public:
  MaskFinder(scf::ForOp loop, AffineAnalysis &forms)
      : loop(loop), forms(forms), masks(forms, loop) {}

  /// Nothing is found if no mask of `choices` can be left out.
  MaskedLoop find(ArrayRef<arith::SelectOp> choices) {
    found.loop = loop;
    found.step = *getConstantIntValue(loop.getStep());
    llvm::SetVector<arith::CmpIOp> compares;
    for (arith::SelectOp choice : choices)
      addCompares(choice.getCondition(), compares);
    for (arith::CmpIOp compare : compares)
      if (keep({masks.analyze(compare)}))
        found.compares.insert(compare);
    if (found.compares.empty())
      return found;
    for (auto load : loop.getBody()->getOps<tts::LoadOp>())
      if (!load->hasAttr(tts::kThroughDescriptor))
        addBounds(load);
    return found;
  }

private:
  /// Bounds that are the same in all turns stay: where they cut, masks would
  /// stay in all turns, too.
  void addBounds(tts::LoadOp load) {
    if (!isa<RankedTensorType>(load.getType()))
      return;
    SmallVector<unsigned> dims;
    ArrayRef<int64_t> shape = load.getTileType().getShape();
    for (auto [d, dimension] : llvm::enumerate(load.getDimensions())) {
      if (!dimension.isBounded())
        continue;
      auto [low, high] = masks.analyze(dimension, shape[d]);
      if ((isMoving(low) || isMoving(high)) && keep({low, high}))
        dims.push_back(d);
    }
    if (!dims.empty())
      found.loads.push_back({load, dims});
  }

  static bool isMoving(const LoopMasks::Result &result) {
    auto *margin = std::get_if<MaskMargin>(&result);
    return margin && margin->slope;
  }

  /// Keeps the margins, if none of them says why it is none.
  bool keep(ArrayRef<LoopMasks::Result> results) {
    bool areKnown = llvm::all_of(results, [&](const auto &result) {
      auto *margin = std::get_if<MaskMargin>(&result);
      return margin && isEverWide(*margin);
    });
    if (areKnown)
      for (const LoopMasks::Result &result : results)
        found.margins.push_back(std::get<MaskMargin>(result));
    return areKnown;
  }

  /// False if it is known that no turn has the margin.
  bool isEverWide(const MaskMargin &margin) {
    AffineExpr first = forms.getForm(loop.getLowerBound()).expr;
    AffineExpr best = first;
    if (margin.slope > 0) {
      best = subtract(forms.getForm(loop.getUpperBound()).expr,
                      getAffineConstantExpr(1, first.getContext()));
      // The last turn, if the number of turns is known.
      AffineExpr range = best ? subtract(best, first) : nullptr;
      auto known = dyn_cast_or_null<AffineConstantExpr>(range);
      if (!known)
        return true;
      best = normalize(first + known.getValue() / found.step * found.step);
    }
    AffineExpr widest =
        best ? normalize(margin.base + best * margin.slope) : nullptr;
    auto known = dyn_cast_or_null<AffineConstantExpr>(widest);
    return !known || known.getValue() >= 0;
  }

  scf::ForOp loop;
  AffineAnalysis &forms;
  LoopMasks masks;
  MaskedLoop found;
};

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Makes the loops of one. Turns are counted from the first one, as i64.
class LoopSplitter {
public:
  LoopSplitter(const MaskedLoop &masked, const AffineAnalysis &forms)
      : masked(masked), loop(masked.loop), forms(forms), builder(loop),
        loc(loop.getLoc()) {}

  void run() {
    Value count = createCount();
    Value begin = createBegin(count), end = createEnd(count, begin);
    scf::ForOp before;
    if (begin) {
      before = cloneUpTo(begin, /*isMasked=*/true);
      startBehind(before, begin);
    }
    if (end) {
      before = cloneUpTo(end, /*isMasked=*/false);
      startBehind(before, end);
    } else {
      unmask(loop, IRMapping());
    }
  }

private:
  Value createI64(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  Value toI64(Value number) { return tts::extendToI64(builder, loc, number); }
  /// `number`, an i64, as `type`.
  Value fromI64(Value number, Type type) {
    if (number.getType() == type)
      return number;
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, loc, type, number);
    return arith::TruncIOp::create(builder, loc, type, number);
  }

  /// `number`, or none if it is negative, by a positive `divisor`.
  Value createQuotient(Value number, int64_t divisor) {
    Value dividend = arith::MaxSIOp::create(builder, loc, number, createI64(0));
    return arith::DivUIOp::create(builder, loc, dividend, createI64(divisor));
  }

  Value createCount() {
    Value range = arith::SubIOp::create(
        builder, loc, toI64(loop.getUpperBound()), toI64(loop.getLowerBound()));
    Value most =
        arith::AddIOp::create(builder, loc, range, createI64(masked.step - 1));
    return createQuotient(most, masked.step);
  }

  /// How wide the margin is in the first turn.
  Value createFirst(const MaskMargin &margin) {
    DenseMap<AffineExpr, Value> values;
    forms.addValues(margin.base, values);
    Value base = createIndexValue(builder, loc, margin.base, values);
    Value walked = arith::MulIOp::create(
        builder, loc, toI64(loop.getLowerBound()), createI64(margin.slope));
    return arith::AddIOp::create(builder, loc, base, walked);
  }

  /// The first turn from which no mask cuts; null if that is the first of all.
  Value createBegin(Value count) {
    Value begin;
    for (const MaskMargin &margin : masked.margins) {
      if (margin.slope <= 0)
        continue;
      int64_t perTurn = margin.slope * masked.step;
      Value missing = arith::SubIOp::create(
          builder, loc, createI64(perTurn - 1), createFirst(margin));
      Value turn = createQuotient(missing, perTurn);
      begin = begin ? arith::MaxSIOp::create(builder, loc, begin, turn) : turn;
    }
    return begin ? arith::MinSIOp::create(builder, loc, begin, count) : begin;
  }

  /// The turn behind the last one in which no mask cuts; null if that is the
  /// last of all.
  Value createEnd(Value count, Value begin) {
    Value end;
    for (const MaskMargin &margin : masked.margins) {
      if (margin.slope > 0)
        continue;
      Value turn = createTurns(margin, count);
      end = arith::MinSIOp::create(builder, loc, end ? end : count, turn);
    }
    return end && begin ? arith::MaxSIOp::create(builder, loc, end, begin)
                        : end;
  }

  /// How many turns have a margin that does not grow.
  Value createTurns(const MaskMargin &margin, Value count) {
    Value first = createFirst(margin);
    if (margin.slope == 0) {
      Value holds = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::sge, first, createI64(0));
      return arith::SelectOp::create(builder, loc, holds, count, createI64(0));
    }
    int64_t perTurn = -margin.slope * masked.step;
    Value more = arith::AddIOp::create(builder, loc, first, createI64(perTurn));
    return createQuotient(more, perTurn);
  }

  /// The induction variable in `turn`.
  Value createInduction(Value turn) {
    Value walked =
        arith::MulIOp::create(builder, loc, turn, createI64(masked.step));
    Value value = arith::AddIOp::create(builder, loc, walked, toI64(firstTurn));
    return fromI64(value, loop.getInductionVar().getType());
  }

  /// A copy of the loop that ends before `turn`.
  scf::ForOp cloneUpTo(Value turn, bool isMasked) {
    Value upper = createInduction(turn);
    IRMapping copies;
    auto part = cast<scf::ForOp>(builder.clone(*loop, copies));
    part.setUpperBound(upper);
    if (!isMasked)
      unmask(part, copies);
    return part;
  }

  /// Lets the loop go on where `before` ends, with `turn`. What each turn adds
  /// the same to is computed, so that it need not be followed through `before`.
  void startBehind(scf::ForOp before, Value turn) {
    builder.setInsertionPoint(loop);
    loop.setLowerBound(before.getUpperBound());
    for (auto [i, result] : llvm::enumerate(before.getResults())) {
      Value init = createCarried(i, turn);
      loop.getInitArgsMutable()[i].set(init ? init : result);
    }
  }

  Value createCarried(unsigned i, Value turn) {
    BlockArgument carried = loop.getRegionIterArg(i);
    auto sum = loop.getYieldedValues()[i].getDefiningOp<arith::AddIOp>();
    if (!sum || !carried.getType().isIntOrIndex())
      return nullptr;
    Value added = sum.getLhs() == carried ? sum.getRhs() : sum.getLhs();
    bool isCounted = (sum.getLhs() == carried) != (sum.getRhs() == carried);
    if (!isCounted || !loop.isDefinedOutsideOfLoop(added))
      return nullptr;
    Value walked = arith::MulIOp::create(builder, loc, added,
                                         fromI64(turn, carried.getType()));
    return arith::AddIOp::create(builder, loc, inits[i], walked);
  }

  /// Leaves all masks out of `part`.
  void unmask(scf::ForOp part, const IRMapping &copies) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(part);
    for (arith::CmpIOp compare : masked.compares) {
      Value mask = copies.lookupOrDefault(compare.getResult());
      Value all = arith::ConstantOp::create(builder, loc,
                                            builder.getOneAttr(mask.getType()));
      mask.replaceUsesWithIf(all, [&](OpOperand &use) {
        return part->isProperAncestor(use.getOwner());
      });
    }
    for (auto [load, dims] : masked.loads)
      dropBounds(cast<tts::LoadOp>(copies.lookupOrDefault(load.getOperation())),
                 dims);
  }

  void dropBounds(tts::LoadOp load, ArrayRef<unsigned> dims) {
    builder.setInsertionPoint(load);
    SmallVector<tts::DimensionAccess> dimensions = load.getDimensions();
    for (unsigned d : dims)
      dimensions[d].low = dimensions[d].high = nullptr;
    tts::LoadOp whole = load.cloneWith(builder, load.getOffset(), dimensions);
    load.replaceAllUsesWith(whole.getResult());
    load.erase();
  }

  const MaskedLoop &masked;
  scf::ForOp loop;
  const AffineAnalysis &forms;
  OpBuilder builder;
  Location loc;
  /// As they were before loops stood in front.
  Value firstTurn = loop.getLowerBound();
  SmallVector<Value> inits = llvm::to_vector(loop.getInitArgs());
};

/// A loop of products that chooses between large tiles.
struct Candidate {
  scf::ForOp loop;
  SmallVector<arith::SelectOp> choices;
};

bool canSplit(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return step && *step > 0 && !loop.getUnsignedCmp();
}

SmallVector<Candidate> findCandidates(func::FuncOp function, int64_t warps) {
  SmallVector<Candidate> found;
  // Where a loop has no masks beside one that has, somebody has split it.
  DenseSet<Block *> isDone;
  function.walk([&](scf::ForOp loop) {
    if (loop.getBody()->getOps<cta::DotOp>().empty() || !isInnermost(loop))
      return;
    SmallVector<arith::SelectOp> choices = findChoices(loop, warps);
    if (choices.empty())
      isDone.insert(loop->getBlock());
    else if (canSplit(loop))
      found.push_back({loop, choices});
  });
  llvm::erase_if(found, [&](const Candidate &candidate) {
    return isDone.contains(candidate.loop->getBlock());
  });
  return found;
}

struct CtaSplitLoops : triton_shared::impl::CtaSplitLoopsBase<CtaSplitLoops> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (std::optional<int64_t> warps = cta::getNumWarps(function))
        split(function, *warps);
  }

private:
  static void split(func::FuncOp function, int64_t warps) {
    SmallVector<Candidate> candidates = findCandidates(function, warps);
    if (candidates.empty())
      return;
    for (Candidate &candidate : candidates)
      moveLoopInvariantCode(candidate.loop);
    AffineAnalysis forms(function);
    SmallVector<MaskedLoop> found;
    for (Candidate &candidate : candidates)
      found.push_back(
          MaskFinder(candidate.loop, forms).find(candidate.choices));
    for (const MaskedLoop &masked : found)
      if (!masked.compares.empty())
        LoopSplitter(masked, forms).run();
  }
};

} // namespace
