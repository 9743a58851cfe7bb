//===- PipelineLoads.cpp - Loads that run ahead of their loop -------------===//
//
// With three slots, `C` a copy into a slot, `W` the wait for the oldest one and
// `R` what reads it:
//
//   before the loop   C0 C1
//   turn 0            W0 C2 R0
//   turn 1            W1 C0 R1
//   turn 2            W2 C1 R2
//
// The wait of a turn is also the barrier between the reads of the turn before
// and the copy that replaces what they read. Copies of threads are waited for
// in groups, those of the copy engine at the barrier of their slot, whose phase
// changes each time the ring begins again. The copies of a turn come after its
// first product has begun, which keeps the tensor cores at work meanwhile.
// Where that product goes on while the next turn begins, the one of the turn
// before still reads its slot: it is waited for, and a barrier follows, before
// copies replace that. What the copy engine brought all threads see at once, so
// a turn with no other copies has no barrier before its product then.
//
//===----------------------------------------------------------------------===//

#include "LastingDot.h"
#include "OperandTiles.h"
#include "Rings.h"
#include "TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAPIPELINELOADS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The product that a turn may begin with, before it copies ahead: of operands
/// that lie in shared memory, and computed on no tile of the turn. Null if
/// there is none.
cta::DotOp findFirstDot(scf::ForOp loop, ArrayRef<AheadLoad> loads) {
  auto isAhead = [&](Operation *op) {
    return llvm::any_of(loads, [&](const AheadLoad &ahead) {
      return ahead.isMatrix && ahead.load == op;
    });
  };
  for (Operation &op : *loop.getBody()) {
    if (auto dot = dyn_cast<cta::DotOp>(op)) {
      bool goesOn = dot.getWgmma() && !dot.getPartialDepth();
      for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()})
        goesOn &= dot.isReadFromShared(*operand) &&
                  (loop.isDefinedOutsideOfLoop(operand->get()) ||
                   isAhead(operand->get().getDefiningOp()));
      return goesOn ? dot : nullptr;
    }
    if (!isAhead(&op) &&
        (!isMemoryEffectFree(&op) ||
         llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>)))
      return nullptr;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// What is to become of a loop.
struct Plan {
  /// How many loads the copy engine does.
  int64_t countBoxes() const {
    return llvm::count_if(loads,
                          [](const AheadLoad &ahead) { return ahead.box; });
  }
  bool hasCopiesOfThreads() const {
    return countBoxes() < static_cast<int64_t>(loads.size());
  }

  scf::ForOp loop;
  LoopSlice slice;
  SmallVector<AheadLoad> loads;
  cta::DotOp lasting;
  /// What a turn begins before it copies ahead; null if there is nothing.
  cta::DotOp first;
  int64_t stages;
};

/// Rewrites one loop.
class LoopPipeline {
public:
  explicit LoopPipeline(const Plan &plan)
      : plan(plan), loop(plan.loop), loads(plan.loads), slice(plan.slice),
        stages(plan.stages), iterated(slice.getIterated()), builder(loop),
        loc(loop.getLoc()) {}

  void run() {
    createRings();
    SmallVector<Value> inits = createFirstCopies();
    // The slot to read, and the phase of its barrier if it has one.
    inits.append(mbarriers ? 2 : 1, createI32(0));
    size_t before = loop.getNumRegionIterArgs();
    IRRewriter rewriter(builder.getContext());
    rewriter.setInsertionPoint(loop);
    // The body comes along, so what is to be loaded stays where it is.
    auto replaced = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
        [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
          return llvm::to_vector_of<Value>(arguments);
        }));
    completeTurn(replaced, before);
    Operation *last = replaced;
    if (plan.lasting)
      last = waitForLastTurn(replaced, plan.lasting, isNotEmpty);
    builder.setInsertionPointAfter(last);
    if (plan.hasCopiesOfThreads())
      createWait(0);
    if (mbarriers)
      cta::InvalidateOp::create(builder, loc, mbarriers);
  }

private:
  Value createI32(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  }
  /// A constant of the type of the induction variable.
  Value createCount(int64_t value) {
    Type type = loop.getInductionVar().getType();
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }

  void createRings() {
    for (const AheadLoad &ahead : loads) {
      cta::AllocOp ring = createRing(builder, loc, ahead, stages);
      rings.push_back(ring);
      maps.push_back(ahead.box ? addTensorMap(*ahead.box, ring) : TensorMap());
    }
    if (llvm::any_of(loads, [](const AheadLoad &ahead) {
          return ahead.box && ahead.isAfterWrites;
        })) {
      cta::PublishWritesOp::create(builder, loc);
      gpu::BarrierOp::create(builder, loc);
    }
    if (int64_t boxes = plan.countBoxes())
      mbarriers = cta::MbarriersOp::create(
          builder, loc, cta::MbarriersType::get(builder.getContext(), stages),
          boxes);
  }

  /// Waits for the copies of threads but the last `pending` groups.
  void createWait(int64_t pending) {
    cta::WaitOp::create(builder, loc, pending);
  }

  /// Waits for the oldest copies, and for the reads of the turn before. A
  /// product that goes on is waited for later, with a barrier of its own.
  void createTurnWait(Value slot, Value phase) {
    if (mbarriers)
      cta::WaitMbarrierOp::create(builder, loc, mbarriers, slot, phase);
    if (plan.hasCopiesOfThreads())
      createWait(stages - 2);
    else if (!plan.lasting)
      gpu::BarrierOp::create(builder, loc);
  }

  /// True while the turn `ahead` turns after that of `variable` comes before
  /// the loop's end. Counted by the distance, which does not overflow.
  Value createIsTurn(Value variable, int64_t ahead) {
    Value distance =
        arith::SubIOp::create(builder, loc, loop.getUpperBound(), variable);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt,
                                 distance, createCount(ahead * getStep()));
  }

  int64_t getStep() { return *getConstantIntValue(loop.getStep()); }

  /// The copies of one turn, whose values `mapping` has.
  void createCopies(const IRMapping &mapping, Value slot, Value condition) {
    for (auto [ahead, ring, map] : llvm::zip_equal(loads, rings, maps))
      if (ahead.box)
        createBoxCopy(ahead, map, mapping, {ring, slot, condition});
      else
        createCopy(ahead, mapping, {ring, slot, condition});
    if (plan.hasCopiesOfThreads())
      cta::CommitOp::create(builder, loc);
  }

  struct CopyTarget {
    Value ring, slot, condition;
  };

  void createCopy(const AheadLoad &ahead, const IRMapping &mapping,
                  const CopyTarget &target) {
    auto copy = cta::CopyOp::create(builder, loc, target.ring, target.slot,
                                    target.condition);
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&copy.getLoad());
    IRMapping inner = mapping;
    Operation *load = builder.clone(*ahead.load, inner);
    load->getResult(0).setType(ahead.getCopied());
    cta::YieldOp::create(builder, loc, load->getResults());
  }

  void createBoxCopy(const AheadLoad &ahead, const TensorMap &map,
                     const IRMapping &mapping, const CopyTarget &target) {
    SmallVector<Value> start = createBoxStart(
        builder, loc, cast<tts::LoadOp>(ahead.load), *ahead.box, mapping);
    cta::CopyBoxOp::create(builder, loc, map.address, start, map.dims,
                           map.piece, target.ring, target.slot, mbarriers,
                           target.condition);
  }

  /// What the iterated values of the slice are one turn later.
  SmallVector<Value> getNext(const IRMapping &mapping) {
    return llvm::map_to_vector(iterated, [&](unsigned number) {
      return mapping.lookupOrDefault(loop.getYieldedValues()[number]);
    });
  }

  void mapIterated(IRMapping &mapping, ValueRange values) {
    for (auto [number, value] : llvm::zip_equal(iterated, values))
      mapping.map(loop.getRegionIterArg(number), value);
  }

  /// Those before the loop. Gives the iterated values of the turn after them.
  SmallVector<Value> createFirstCopies() {
    Value variable = loop.getLowerBound();
    isNotEmpty = createIsNotEmpty(builder, loop);
    SmallVector<Value> values =
        llvm::map_to_vector(iterated, [&](unsigned number) {
          return Value(loop.getInitArgs()[number]);
        });
    for (int64_t turn = 0; turn < stages - 1; ++turn) {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), variable);
      mapIterated(mapping, values);
      Value condition = arith::AndIOp::create(
          builder, loc, isNotEmpty, createIsTurn(loop.getLowerBound(), turn));
      slice.clone(builder, mapping, condition);
      createCopies(mapping, createI32(turn), condition);
      values = getNext(mapping);
      variable = arith::AddIOp::create(builder, loc, variable, loop.getStep());
    }
    return values;
  }

  /// Maps the induction variable and the iterated values of the slice to those
  /// of the turn that is copied for.
  void mapAhead(IRMapping &mapping, ValueRange values) {
    mapping.map(loop.getInductionVar(),
                arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                                      createCount((stages - 1) * getStep())));
    mapIterated(mapping, values);
  }

  /// Waits, copies ahead, and reads what was copied.
  void completeTurn(scf::ForOp replaced, size_t numBefore) {
    loop = replaced;
    Block *body = loop.getBody();
    builder.setInsertionPointToStart(body);
    SmallVector<Value> added(loop.getRegionIterArgs().drop_front(numBefore));
    Value phase = mbarriers ? added.pop_back_val() : nullptr;
    Value readSlot = added.pop_back_val();
    IRMapping mapping;
    Value isTurn;
    // Indices are there when the turn has waited.
    if (slice.hasLoads()) {
      isTurn = createIsTurn(loop.getInductionVar(), stages - 1);
      mapAhead(mapping, added);
      slice.clone(builder, mapping, isTurn);
    }
    createTurnWait(readSlot, phase);
    if (!slice.hasLoads())
      mapAhead(mapping, added);
    if (plan.first)
      builder.setInsertionPointAfter(plan.first);
    if (plan.lasting) {
      letGoOn(builder, plan.lasting, 1);
      gpu::BarrierOp::create(builder, loc);
    }
    if (!slice.hasLoads())
      slice.clone(builder, mapping);
    Value slot = createPreviousSlot(builder, loc, readSlot, stages);
    if (!isTurn)
      isTurn = createIsTurn(loop.getInductionVar(), stages - 1);
    createCopies(mapping, slot, isTurn);
    if (plan.first && !plan.lasting)
      letGoOn(builder, plan.first, 0);
    SmallVector<Value> next = getNext(mapping);
    next.push_back(createNextSlot(builder, loc, readSlot, stages));
    if (mbarriers)
      next.push_back(createNextPhase(builder, loc, next.back(), phase));
    auto yield = cast<scf::YieldOp>(body->getTerminator());
    yield->setOperands(numBefore, next.size(), next);
    for (auto [ahead, ring] : llvm::zip_equal(loads, rings))
      readFromRing(ahead, ring, readSlot);
  }

  const Plan &plan;
  scf::ForOp loop;
  SmallVector<AheadLoad> loads;
  const LoopSlice &slice;
  /// Also the slots of a ring.
  int64_t stages;
  SmallVector<unsigned> iterated;
  OpBuilder builder;
  Location loc;
  SmallVector<cta::AllocOp> rings;
  /// For each load; of those that the copy engine does.
  SmallVector<TensorMap> maps;
  /// Where copies of the copy engine arrive; null if there are none.
  cta::MbarriersOp mbarriers;
  /// That the loop has a turn.
  Value isNotEmpty;
};

struct CtaPipelineLoads
    : triton_shared::impl::CtaPipelineLoadsBase<CtaPipelineLoads> {
  using CtaPipelineLoadsBase::CtaPipelineLoadsBase;

  void runOnOperation() override {
    if (!hasLoadsInLoops(getOperation()))
      return;
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return signalPassFailure();
    // What is known about values holds before the first loop changes.
    std::vector<Plan> plans;
    DenseMap<Operation *, std::unique_ptr<TensorBoxAnalysis>> boxesOf;
    getOperation().walk([&](scf::ForOp loop) {
      auto function = loop->getParentOfType<func::FuncOp>();
      if (!function || !function->hasAttr(cta::kNumWarps))
        return;
      auto [boxes, isNew] = boxesOf.try_emplace(function);
      if (isNew)
        boxes->second = std::make_unique<TensorBoxAnalysis>(function, solver);
      if (std::optional<Plan> found = plan(loop, solver, *boxes->second))
        plans.push_back(std::move(*found));
    });
    for (const Plan &found : plans)
      LoopPipeline(found).run();
  }

private:
  std::optional<Plan> plan(scf::ForOp loop, const DataFlowSolver &solver,
                           TensorBoxAnalysis &boxes) {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!step || *step <= 0 || *step > kLargestStep)
      return std::nullopt;
    Plan plan = {loop, LoopSlice(loop), {}, nullptr, nullptr, 1};
    plan.loads =
        AheadLoads(loop, solver, boxes).find(plan.slice, /*takesSmall=*/true);
    plan.lasting = findLastingDot(loop);
    fitStages(plan);
    if (plan.stages < 2 && plan.lasting) {
      plan.lasting = nullptr;
      fitStages(plan);
    }
    if (plan.loads.empty() || plan.stages < 2)
      return std::nullopt;
    plan.first = plan.lasting ? plan.lasting : findFirstDot(loop, plan.loads);
    return plan;
  }

  /// As many stages as asked for, or as there is room for.
  void fitStages(Plan &plan) const {
    int64_t perSlot = 0, others = 0;
    for (const AheadLoad &ahead : plan.loads)
      perSlot += cta::getTileBytes(ahead.getTile());
    // Operands that are not read where they were loaded have buffers of their
    // own: those of `wgmma`, where threads turn them.
    auto isLoaded = [&](cta::DotOp dot, OpOperand &operand) {
      auto convert = operand.get().getDefiningOp<cta::ConvertLayoutOp>();
      Value tile = getOperandTile(operand.get()).tile;
      if (convert && !dot.getWgmma())
        tile = convert.getSource();
      const AheadLoad *ahead = findAhead(plan, tile);
      return ahead &&
             (!dot.getWgmma() ||
              canReadOperand(operand, getRingType(*ahead, /*slots=*/1)));
    };
    llvm::SmallDenseSet<Value> buffered;
    int64_t exchange = 0; // Products that exchange do so one after the other.
    plan.loop.walk([&](cta::DotOp dot) {
      exchange = std::max(exchange, countExchanged(plan, dot));
      for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()})
        if ((!dot.getWgmma() || dot.isReadFromShared(*operand)) &&
            !isLoaded(dot, *operand) && buffered.insert(operand->get()).second)
          others += countBuffers(plan, dot, operand->get()) *
                    cta::getTileBytes(cta::getTile(operand->get()));
    });
    int64_t sharedBytes =
        cta::getTarget(plan.loop->getParentOfType<func::FuncOp>())
            .getSharedBytes();
    others += exchange;
    plan.stages = numStages;
    while (plan.stages > 1 && plan.stages * perSlot + others > sharedBytes)
      --plan.stages;
  }

  /// What loads `tile` ahead of the loop; null if nothing does.
  static const AheadLoad *findAhead(const Plan &plan, Value tile) {
    auto *found = llvm::find_if(plan.loads, [&](const AheadLoad &ahead) {
      return ahead.load == tile.getDefiningOp();
    });
    return found == plan.loads.end() ? nullptr : found;
  }

  /// The bytes of shared memory in which threads exchange operands of `dot`
  /// that do not lie in a ring.
  static int64_t countExchanged(const Plan &plan, cta::DotOp dot) {
    if (dot.getInstruction())
      return 0;
    SmallVector<RankedTensorType> tiles;
    for (Value operand : {dot.getA(), dot.getB()})
      if (dot->getParentOp() != plan.loop ||
          !findAhead(plan, getOperandTile(operand).tile))
        tiles.push_back(cta::getTile(operand));
    return cta::getSharedBytes(tiles);
  }

  /// What each turn writes for a product that goes on needs two places.
  static int64_t countBuffers(const Plan &plan, cta::DotOp dot, Value operand) {
    scf::ForOp loop = plan.loop;
    return dot == plan.lasting && !loop.isDefinedOutsideOfLoop(operand) ? 2 : 1;
  }

  /// So that a few steps are no overflow.
  static constexpr int64_t kLargestStep = 1 << 24;
};

} // namespace
