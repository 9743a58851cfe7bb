//===- GuardBoxes.cpp - Loops of pointers that load boxes -----------------===//

#include "AheadLoads.h"
#include "IndexValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Analysis/GuardedBox.h"
#include "triton-shared/Analysis/LaunchBound.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Dialect/Structured/IR/IndexNumbers.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAGUARDBOXES
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

bool isZero(AffineExpr expr) {
  return expr == getAffineConstantExpr(0, expr.getContext());
}

/// Whether a box that begins there does so within `kMostStart`, in every turn
/// of every program.
bool isCertain(const LinearForm &start) {
  auto base = dyn_cast<AffineConstantExpr>(start.base);
  return base && base.getValue() >= 0 &&
         base.getValue() < GuardedBox::kMostStart && isZero(start.slope);
}

/// What a guard asks of one dimension of a box, besides its tensor map.
struct Demands {
  Demands(const tts::DimensionAccess &access, const GuardedDimension &dimension)
      : endsBeforeWrap(access.isWrapped() && !dimension.mayReachOver),
        startsWithin(dimension.start && !isCertain(*dimension.start)),
        endsInMatrix(dimension.startInMatrix) {}

  bool endsBeforeWrap, startsWithin, endsInMatrix;
};

/// A loop, and what its loads are under the guard.
struct GuardedLoop {
  scf::ForOp loop;
  SmallVector<std::pair<tts::LoadOp, GuardedBox>> loads;

  /// Whether a launch knows that all of them are boxes: there are tensor maps,
  /// and none begins too far, to which `bounds` are added.
  bool isKnownAtLaunch(LaunchBounds &bounds) const {
    for (auto [load, box] : loads)
      for (auto [access, dimension] :
           llvm::zip_equal(load.getDimensions(), box.dimensions)) {
        Demands demands(access, dimension);
        if (demands.endsBeforeWrap || demands.endsInMatrix)
          return false;
        if (demands.startsWithin &&
            !bounds.add(*dimension.start, loop, box.values))
          return false;
      }
    return true;
  }
};

/// What makes the loads of one loop boxes.
class LoopGuard {
public:
  /// Its condition is computed at `builder`.
  LoopGuard(const GuardedLoop &guarded, OpBuilder builder)
      : loop(guarded.loop), loads(guarded.loads), builder(builder),
        loc(loop.getLoc()) {}

  /// That there are all tensor maps, and what `GuardedBox` asks for.
  Value createCondition() {
    auto function = loop->getParentOfType<func::FuncOp>();
    Value missing = tts::KernelSignature::getOrAppend(
        function, tts::ParameterKind::MissingTensorMaps, builder.getI32Type());
    condition = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, missing,
        arith::ConstantIntOp::create(builder, loc, 0, 32));
    for (auto [load, box] : loads)
      for (auto [access, dimension, size] :
           llvm::zip_equal(load.getDimensions(), box.dimensions,
                           load.getTileType().getShape())) {
        Demands demands(access, dimension);
        if (demands.endsBeforeWrap)
          require(arith::CmpIPredicate::sle,
                  createSum(access.wrapStart, createI64(size)),
                  access.wrapSize);
        if (demands.startsWithin)
          requireStart(*dimension.start, box);
        if (demands.endsInMatrix)
          require(arith::CmpIPredicate::sle,
                  createSum(createStart(*dimension.startInMatrix, box,
                                        createLastTurn()),
                            createI64(size)),
                  createSize(dimension.matrixSize));
      }
    return condition;
  }

  /// The same, or that there is no turn.
  Value createConditionOfTurns() {
    Value holds = createCondition();
    Value isEmpty =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                              loop.getLowerBound(), loop.getUpperBound());
    return arith::OrIOp::create(builder, loc, isEmpty, holds);
  }

  /// Says of the loads in a copy of the loop, or in the loop itself, what is so
  /// under the guard.
  void makeBoxes(const IRMapping &copies = {}) {
    auto find = [&](Operation *op) { return copies.lookupOrDefault(op); };
    for (auto [load, box] : loads)
      makeBox(cast<tts::LoadOp>(find(load)), box, cast<scf::ForOp>(find(loop)));
  }

private:
  Value createI64(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  Value createI64(OpFoldResult number) {
    if (auto value = dyn_cast<Value>(number))
      return value;
    return createI64(*getConstantIntValue(number));
  }

  void require(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
    condition = arith::AndIOp::create(builder, loc, condition, holds);
  }

  /// That boxes begin within `kMostStart`: so they do if those of the first and
  /// of the last turn do.
  void requireStart(const LinearForm &start, const GuardedBox &box) {
    auto requireAt = [&](Value turn) {
      // Also that it is not negative.
      require(arith::CmpIPredicate::ult, createStart(start, box, turn),
              createI64(GuardedBox::kMostStart));
    };
    requireAt(createTurn(loop.getLowerBound()));
    if (!isZero(start.slope))
      requireAt(createLastTurn());
  }

  Value createSum(Value lhs, Value rhs) {
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  }

  Value createTurn(Value turn) { return tts::extendToI64(builder, loc, turn); }

  /// The induction variable in the last turn, if there is one.
  Value createLastTurn() {
    Value first = createTurn(loop.getLowerBound());
    Value step = createTurn(loop.getStep());
    Value range = arith::SubIOp::create(
        builder, loc, createTurn(loop.getUpperBound()), first);
    range = arith::SubIOp::create(builder, loc, range, createI64(1));
    Value steps = arith::DivSIOp::create(builder, loc, range, step);
    return createSum(first, arith::MulIOp::create(builder, loc, steps, step));
  }

  /// Where a box begins in `turn`, before the loop.
  Value createStart(const LinearForm &start, const GuardedBox &box,
                    Value turn) {
    Value slope = createIndexValue(builder, loc, start.slope, box.values);
    return createSum(createIndexValue(builder, loc, start.base, box.values),
                     arith::MulIOp::create(builder, loc, slope, turn));
  }

  Value createSize(tts::LaunchNumber size) {
    if (!size.isArgument)
      return createI64(size.value);
    Value argument =
        loop->getParentOfType<func::FuncOp>().getArgument(size.value);
    return tts::extendToI64(builder, loc, argument);
  }

  /// Where a box begins in its tensor, which the guard lets be an i32.
  Value createStart(const GuardedDimension &dimension, const GuardedBox &box,
                    tts::DimensionAccess access, scf::ForOp boxes) {
    // What does not change is computed before the loop.
    OpBuilder before(boxes);
    if (dimension.startInBounds) {
      auto [base, slope] = *dimension.startInBounds;
      Value walked = arith::MulIOp::create(
          builder, loc, createTurn(boxes.getInductionVar()),
          createIndexValue(before, loc, slope, box.values));
      return createSum(createIndexValue(before, loc, base, box.values), walked);
    }
    if (!dimension.start)
      return access.isWrapped()
                 ? access.wrapStart
                 : arith::SubIOp::create(
                       builder, loc, createSize(dimension.size), access.high);
    Type i32 = builder.getI32Type();
    auto createPart = [&](AffineExpr expr) -> Value {
      Value part = createIndexValue(before, loc, expr, box.values);
      return arith::TruncIOp::create(before, loc, i32, part);
    };
    Value start = createPart(dimension.start->base);
    if (!isZero(dimension.start->slope)) {
      Value turn = boxes.getInductionVar();
      if (!turn.getType().isInteger(32))
        turn = arith::TruncIOp::create(builder, loc, i32, turn);
      Value walked = arith::MulIOp::create(builder, loc, turn,
                                           createPart(dimension.start->slope));
      start = createSum(start, walked);
    }
    return arith::ExtSIOp::create(builder, loc, builder.getI64Type(), start);
  }

  /// Says of `load` what is so under the guard: its bounds are where the tensor
  /// begins and ends.
  void makeBox(tts::LoadOp load, const GuardedBox &box, scf::ForOp boxes) {
    builder.setInsertionPoint(load);
    Value zero = createI64(0), offset = zero;
    SmallVector<tts::DimensionAccess> accesses = load.getDimensions();
    for (auto [access, dimension] : llvm::zip_equal(accesses, box.dimensions)) {
      Value start = createStart(dimension, box, access, boxes);
      access.low = arith::SubIOp::create(builder, loc, zero, start);
      // A bound that stays as it was is this already.
      if (dimension.start || access.isWrapped())
        access.high = arith::SubIOp::create(builder, loc,
                                            createSize(dimension.size), start);
      access.wrapStart = access.wrapSize = nullptr;
      Value step =
          arith::MulIOp::create(builder, loc, start, createI64(access.stride));
      offset = arith::AddIOp::create(builder, loc, offset, step);
    }
    auto made = tts::LoadOp::create(builder, load.getLoc(), load.getType(),
                                    load.getBase(), offset, accesses, Value(),
                                    load.getOther());
    made.setCacheAttr(load.getCacheAttr());
    made.setEvictAttr(load.getEvictAttr());
    made->setAttr(tts::kMapIsChecked, builder.getUnitAttr());
    load.replaceAllUsesWith(made.getResult());
    load.erase();
  }

  scf::ForOp loop;
  ArrayRef<std::pair<tts::LoadOp, GuardedBox>> loads;
  OpBuilder builder;
  Location loc;
  /// All that is asked for so far.
  Value condition;
};

/// Loops one behind the other, under one guard: so no run has boxes in one of
/// them and threads that copy in another.
class LoopsGuard {
public:
  explicit LoopsGuard(const GuardedLoop &guarded)
      : loops({guarded}), first(guarded.loop) {}

  /// Takes one more if its condition can be computed before the first, and no
  /// other loop is between, which would be there twice.
  bool join(const GuardedLoop &next) {
    if (next.loop->getBlock() != first->getBlock() || hasLoopBefore(next.loop))
      return false;
    hoistScalars(next.loop);
    if (!canCompute(next))
      return false;
    loops.push_back(next);
    return true;
  }

  /// Makes two of each: with boxes, and as it was.
  void run() {
    OpBuilder builder(first);
    Location loc = first.getLoc();
    SmallVector<LoopGuard> guards;
    for (const GuardedLoop &one : loops)
      guards.emplace_back(one, builder);
    Value condition = guards.size() == 1 ? guards.front().createCondition()
                                         : createAll(builder, guards);
    SmallVector<Operation *> range;
    for (Operation *op = first; op != loops.back().loop->getNextNode();
         op = op->getNextNode())
      range.push_back(op);
    SmallVector<Value> results = findResults(range);
    auto guard = scf::IfOp::create(builder, loc, TypeRange(results), condition,
                                   /*addThenBlock=*/true,
                                   /*addElseBlock=*/true);
    guard->setAttr(cta::kGuard, builder.getUnitAttr());
    builder.setInsertionPointToStart(guard.thenBlock());
    IRMapping copies;
    for (Operation *op : range)
      builder.clone(*op, copies);
    scf::YieldOp::create(builder, loc,
                         llvm::map_to_vector(results, [&](Value result) {
                           return copies.lookup(result);
                         }));
    for (LoopGuard &one : guards)
      one.makeBoxes(copies);
    for (Operation *op : range)
      op->moveBefore(guard.elseBlock(), guard.elseBlock()->end());
    for (auto [result, joined] : llvm::zip_equal(results, guard.getResults()))
      result.replaceUsesWithIf(joined, [&](OpOperand &use) {
        return !guard->isProperAncestor(use.getOwner());
      });
    builder.setInsertionPointToEnd(guard.elseBlock());
    scf::YieldOp::create(builder, loc, results);
  }

private:
  /// Whether all that its condition asks for is there before the first loop.
  bool canCompute(const GuardedLoop &next) {
    scf::ForOp loop = next.loop;
    SmallVector<Value> needed = {loop.getLowerBound(), loop.getUpperBound(),
                                 loop.getStep()};
    for (auto [load, box] : next.loads) {
      llvm::append_range(needed, llvm::make_second_range(box.values));
      for (tts::DimensionAccess access : load.getDimensions())
        if (access.isWrapped())
          needed.append({access.wrapStart, access.wrapSize});
    }
    return llvm::all_of(needed, [&](Value value) { return isBefore(value); });
  }

  bool isBefore(Value value) {
    Operation *made = value.getDefiningOp();
    return !made || made->getBlock() != first->getBlock() ||
           made->isBeforeInBlock(first);
  }

  /// Whether a loop is between the last one and `next`.
  bool hasLoopBefore(scf::ForOp next) {
    auto isLoop = [](LoopLikeOpInterface) { return WalkResult::interrupt(); };
    for (Operation *op = loops.back().loop->getNextNode(); op != next;
         op = op->getNextNode())
      if (op->walk(isLoop).wasInterrupted())
        return true;
    return false;
  }

  /// Computes before the first loop what can be of the numbers between the last
  /// one and `next`.
  void hoistScalars(scf::ForOp next) {
    auto isScalar = [](Type type) { return type.isIntOrIndex(); };
    for (Operation *op = loops.back().loop->getNextNode(); op != next;) {
      Operation *after = op->getNextNode();
      if (!op->getNumRegions() && isMemoryEffectFree(op) &&
          llvm::all_of(op->getResultTypes(), isScalar) &&
          llvm::all_of(op->getOperands(),
                       [&](Value value) { return isBefore(value); }))
        op->moveBefore(first);
      op = after;
    }
  }

  /// A loop without a turn asks for nothing.
  static Value createAll(OpBuilder &builder,
                         MutableArrayRef<LoopGuard> guards) {
    Value all;
    for (LoopGuard &one : guards) {
      Value holds = one.createConditionOfTurns();
      all = all ? arith::AndIOp::create(builder, holds.getLoc(), all, holds)
                : holds;
    }
    return all;
  }

  /// What others use of it.
  static SmallVector<Value> findResults(ArrayRef<Operation *> range) {
    Block *block = range.front()->getBlock();
    auto isOutside = [&](Operation *user) {
      Operation *around = block->findAncestorOpInBlock(*user);
      return !around || range.back()->isBeforeInBlock(around);
    };
    SmallVector<Value> results;
    for (Operation *op : range)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), isOutside))
          results.push_back(result);
    return results;
  }

  SmallVector<GuardedLoop> loops;
  scf::ForOp first;
};

/// Finds the loops of one function.
class GuardedLoops {
public:
  GuardedLoops(func::FuncOp function, const DataFlowSolver &solver)
      : function(function), solver(solver), described(function, solver),
        guarded(function, solver) {}

  SmallVector<GuardedLoop> find() {
    SmallVector<GuardedLoop> found;
    if (!cta::getTarget(function).hasTma() || hasDescribedBoxes())
      return found;
    function.walk([&](scf::ForOp loop) {
      if (std::optional<GuardedLoop> one = plan(loop))
        found.push_back(std::move(*one));
    });
    return found;
  }

private:
  bool hasDescribedBoxes() {
    return function
        .walk([&](tts::AccessOpInterface access) {
          bool isBox =
              isa<RankedTensorType>(access.getTile().getType()) &&
              std::holds_alternative<TensorBox>(described.analyze(access));
          return isBox ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  std::optional<GuardedLoop> plan(scf::ForOp loop) {
    LoopSlice slice(loop);
    GuardedLoop found = {loop, {}};
    bool threadsCopy = false;
    SmallVector<tts::LoadOp> loads;
    for (const AheadLoad &ahead :
         AheadLoads(loop, solver, described).find(slice)) {
      // Threads copy rows of numbers, under the guard as well.
      if (!ahead.isMatrix && ahead.getTile().getRank() == 1) {
        threadsCopy = true;
        continue;
      }
      if (!ahead.isMatrix)
        return std::nullopt;
      loads.push_back(cast<tts::LoadOp>(ahead.load));
    }
    // Threads cannot copy ahead what lies anywhere, as far as is known.
    for (auto load : loop.getBody()->getOps<tts::LoadOp>())
      if (!llvm::is_contained(loads, load) && findMatrixUse(load))
        loads.push_back(load);
    for (tts::LoadOp load : loads) {
      std::optional<GuardedBox> box = findBox(load, loop);
      if (!box)
        return std::nullopt;
      found.loads.emplace_back(load, *box);
    }
    bool isWhole = !found.loads.empty() && !readsOther(found);
    bool isSlow = threadsCopy && llvm::any_of(found.loads, isSmall);
    return isWhole && !isSlow ? std::optional(found) : std::nullopt;
  }

  /// Boxes that take threads as long to ask for and to wait for as to copy, if
  /// they have to wait for copies of their own in each turn as well.
  static bool isSmall(const std::pair<tts::LoadOp, GuardedBox> &found) {
    constexpr int64_t kLeastRows = 64;
    auto [load, box] = found;
    RankedTensorType tile = load.getTileType();
    return tile.getNumElements() / tile.getDimSize(box.innermost) < kLeastRows;
  }

  /// Whether a product of the loop is of another load in it.
  static bool readsOther(const GuardedLoop &found) {
    scf::ForOp loop = found.loop;
    return loop
        .walk([&](cta::DotOp dot) {
          for (Value operand : {dot.getA(), dot.getB()}) {
            if (auto convert = operand.getDefiningOp<cta::ConvertLayoutOp>())
              operand = convert.getSource();
            auto load = operand.getDefiningOp<tts::LoadOp>();
            if (load && !loop.isDefinedOutsideOfLoop(load.getResult()) &&
                !llvm::is_contained(llvm::make_first_range(found.loads), load))
              return WalkResult::interrupt();
          }
          return WalkResult::advance();
        })
        .wasInterrupted();
  }

  std::optional<GuardedBox> findBox(tts::LoadOp load, scf::ForOp loop) {
    OpOperand *use = findMatrixUse(load);
    GuardedBoxAnalysis::Result result = guarded.analyze(load, loop);
    auto *box = std::get_if<GuardedBox>(&result);
    bool isCopied = box && use &&
                    !mayWrite(function.getBody(), load.getBase()) &&
                    cta::findMatrixLayout(*use, box->innermost);
    return isCopied ? std::optional(*box) : std::nullopt;
  }

  func::FuncOp function;
  const DataFlowSolver &solver;
  TensorBoxAnalysis described;
  GuardedBoxAnalysis guarded;
};

/// Sums in registers of their own leave none for two loops: ptxas spills.
bool hasPartialSums(scf::ForOp loop) {
  return loop
      .walk([&](cta::DotOp dot) {
        return dot.getPartialDepth() ? WalkResult::interrupt()
                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

struct CtaGuardBoxes : triton_shared::impl::CtaGuardBoxesBase<CtaGuardBoxes> {
  using CtaGuardBoxesBase::CtaGuardBoxesBase;

  void runOnOperation() override {
    if (!hasLoadsInLoops(getOperation()))
      return;
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return signalPassFailure();
    // What is known about values holds before the first loop changes.
    SmallVector<GuardedLoop> guarded, assumed;
    getOperation().walk([&](func::FuncOp function) {
      if (!function->hasAttr(cta::kNumWarps))
        return;
      SmallVector<GuardedLoop> found = GuardedLoops(function, solver).find();
      if (assumesMaps && assume(function, found)) {
        llvm::append_range(assumed, found);
        return;
      }
      llvm::erase_if(found, [](const GuardedLoop &one) {
        return hasPartialSums(one.loop);
      });
      llvm::append_range(guarded, found);
    });
    for (const GuardedLoop &one : assumed)
      LoopGuard(one, OpBuilder(one.loop)).makeBoxes();
    SmallVector<LoopsGuard> guards;
    for (const GuardedLoop &one : guarded)
      if (guards.empty() || !guards.back().join(one))
        guards.emplace_back(one);
    for (LoopsGuard &guard : guards)
      guard.run();
  }

private:
  /// Says of `function` that its loops take for granted what their guards would
  /// ask for, if a launch knows all of that.
  static bool assume(func::FuncOp function, ArrayRef<GuardedLoop> loops) {
    LaunchBounds bounds(function);
    bool isKnown =
        !loops.empty() && llvm::all_of(loops, [&](const GuardedLoop &one) {
          return one.isKnownAtLaunch(bounds);
        });
    if (!isKnown)
      return false;
    function->setAttr(cta::kAssumesMaps, UnitAttr::get(function.getContext()));
    if (!bounds.isEmpty())
      function->setAttr(cta::kLaunchBounds,
                        AffineMapAttr::get(bounds.getMap()));
    return true;
  }
};

} // namespace
