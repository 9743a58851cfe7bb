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
// and the copy that replaces what they read. A product that goes on while the
// next turn begins has read its slot a turn later: then there is one slot more.
//
//===----------------------------------------------------------------------===//

#include "LayoutRules.h"
#include "LoopSlice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/AccessWidth.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Layout/SharedAccess.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAPIPELINELOADS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

namespace {

/// A load that becomes copies.
struct AheadLoad {
  RankedTensorType getTile() const { return cta::getTile(load->getResult(0)); }

  Operation *load;
  cta::SharedLayout layout;
  /// A product reads it from shared memory itself.
  bool isMatrix;
};

/// Finds the loads of one loop that may run ahead.
class AheadLoads {
public:
  AheadLoads(scf::ForOp loop, const DataFlowSolver &solver)
      : loop(loop), solver(solver) {}

  SmallVector<AheadLoad> find(LoopSlice &slice) {
    SmallVector<AheadLoad> found;
    if (!isInnermost() || !mayReorder())
      return found;
    for (auto load : loop.getBody()->getOps<tts::LoadOp>()) {
      if (!isa<RankedTensorType>(load.getType()) || !feedsDot(load) ||
          !isPlain(load) || isWritten(load.getBase()))
        continue;
      std::optional<cta::SharedLayout> matrix = findMatrixLayout(load);
      std::optional<cta::SharedLayout> layout =
          matrix ? matrix : findReadLayout(load);
      if (layout && slice.addOperandsOf(load))
        found.push_back({load, *layout, matrix.has_value()});
    }
    return found;
  }

private:
  bool isInnermost() {
    return !loop.getBody()
                ->walk(
                    [](LoopLikeOpInterface) { return WalkResult::interrupt(); })
                .wasInterrupted();
  }

  /// False if the loop does more with memory than to load and store.
  bool mayReorder() {
    WalkResult result = loop.getBody()->walk([](Operation *op) {
      auto access = dyn_cast<tts::AccessOpInterface>(op);
      bool isKnown = (access && !access.isAtomic()) || isMemoryEffectFree(op) ||
                     op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
      return isKnown ? WalkResult::advance() : WalkResult::interrupt();
    });
    return !result.wasInterrupted();
  }

  /// Arguments are apart from each other; a computed address may be anywhere.
  bool isWritten(Value base) {
    WalkResult result = loop.getBody()->walk([&](tts::AccessOpInterface op) {
      Value other = op.getBase();
      bool isApart =
          !op.isWrite() || (other != base && isa<BlockArgument>(other) &&
                            isa<BlockArgument>(base));
      return isApart ? WalkResult::advance() : WalkResult::interrupt();
    });
    return result.wasInterrupted();
  }

  bool feedsDot(tts::LoadOp load) {
    SmallVector<Value> waiting = {load.getResult()};
    llvm::SmallDenseSet<Value> seen;
    while (!waiting.empty()) {
      Value value = waiting.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      for (Operation *user : value.getUsers()) {
        if (isa<cta::DotOp>(user))
          return true;
        if (user->getBlock() == loop.getBody())
          llvm::append_range(waiting, user->getResults());
      }
    }
    return false;
  }

  static bool isPlain(tts::LoadOp load) {
    bool isZeroElsewhere = !load.getOther() ||
                           matchPattern(load.getOther(), m_AnyZeroFloat()) ||
                           matchPattern(load.getOther(), m_Zero());
    return !load.getMask() && !load.getIsVolatile() && isZeroElsewhere;
  }

  /// How many neighbours a thread can copy at once; nothing if too few.
  std::optional<unsigned> countNeighbours(tts::LoadOp load) {
    AccessWidth width = describeAccessWidth(solver, load);
    RankedTensorType tile = cta::getTile(load.getResult());
    if (!width.isContiguous || !width.isUniform)
      return std::nullopt;
    unsigned elements =
        std::min(width.elements,
                 cta::getLayout(tile).countNeighbours(width.order.front()));
    return elements * cta::getElementBytes(tile) >= GpuTarget::kLeastCopyBytes
               ? std::optional(elements)
               : std::nullopt;
  }

  /// True if `layout` lets threads copy pieces that are large enough.
  static bool hasPieces(tts::LoadOp load, const cta::SharedLayout &layout,
                        unsigned elements) {
    RankedTensorType tile = cta::getTile(load.getResult());
    cta::Piece piece =
        cta::getPieces(layout.place(cta::getLayout(tile)), elements).front();
    for (auto [i, reg] : llvm::enumerate(piece))
      if (i != reg)
        return false;
    return piece.size() * cta::getElementBytes(tile) >=
           GpuTarget::kLeastCopyBytes;
  }

  /// A layout for the ring from which a product reads it.
  std::optional<cta::SharedLayout> findMatrixLayout(tts::LoadOp load) {
    std::optional<unsigned> elements = countNeighbours(load);
    if (!elements)
      return std::nullopt;
    unsigned contiguous = describeAccessWidth(solver, load).order.front();
    for (OpOperand &use : load->getUses()) {
      auto dot = dyn_cast<cta::DotOp>(use.getOwner());
      if (!dot || !dot.isReadFromShared(use))
        continue;
      std::optional<cta::SharedLayout> layout =
          cta::findMatrixLayout(use, contiguous);
      return layout && hasPieces(load, *layout, *elements) ? layout
                                                           : std::nullopt;
    }
    return std::nullopt;
  }

  /// A layout for the ring from which threads read it.
  std::optional<cta::SharedLayout> findReadLayout(tts::LoadOp load) {
    std::optional<unsigned> elements = countNeighbours(load);
    if (!elements)
      return std::nullopt;
    RankedTensorType tile = cta::getTile(load.getResult());
    cta::SharedLayout layout = cta::chooseSharedLayout(
        tile.getShape(), cta::getElementBytes(tile), cta::getLayout(tile),
        getReadLayout(load), *elements);
    return hasPieces(load, layout, *elements) ? std::optional(layout)
                                              : std::nullopt;
  }

  /// The layout in which most of the loop wants the tile.
  static LinearLayout getReadLayout(tts::LoadOp load) {
    for (Operation *user : load->getUsers())
      if (auto convert = dyn_cast<cta::ConvertLayoutOp>(user))
        return cta::getLayout(convert.getType());
    return cta::getLayout(load.getType());
  }

  scf::ForOp loop;
  const DataFlowSolver &solver;
};

/// The product of a loop that may go on while the next turn begins: the only
/// one, of operands in rings, whose result is but what the next turn adds to.
/// Null if there is none.
cta::DotOp findLastingDot(scf::ForOp loop, ArrayRef<AheadLoad> loads) {
  SmallVector<cta::DotOp> dots;
  loop.walk([&](cta::DotOp dot) { dots.push_back(dot); });
  if (dots.size() != 1 || dots.front()->getBlock() != loop.getBody())
    return nullptr;
  cta::DotOp dot = dots.front();
  auto isInRing = [&](OpOperand &operand) {
    return dot.isReadFromShared(operand) &&
           llvm::any_of(loads, [&](const AheadLoad &ahead) {
             return ahead.isMatrix &&
                    ahead.load == operand.get().getDefiningOp();
           });
  };
  auto sum = dyn_cast<BlockArgument>(dot.getAccumulator());
  if (!isInRing(dot.getAMutable()) || !isInRing(dot.getBMutable()) || !sum ||
      sum.getOwner() != loop.getBody() || !sum.hasOneUse() || !dot->hasOneUse())
    return nullptr;
  OpOperand *yielded = loop.getTiedLoopYieldedValue(sum);
  return yielded && yielded->get() == dot.getResult() ? dot : nullptr;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// What is to become of a loop.
struct Plan {
  /// A product that goes on holds its slots a turn longer.
  int64_t countSlots() const { return stages + countLastingTurns(); }
  int64_t countLastingTurns() const { return lasting ? 1 : 0; }

  scf::ForOp loop;
  LoopSlice slice;
  SmallVector<AheadLoad> loads;
  cta::DotOp lasting;
  int64_t stages;
};

/// Rewrites one loop.
class LoopPipeline {
public:
  explicit LoopPipeline(const Plan &plan)
      : plan(plan), loop(plan.loop), loads(plan.loads), slice(plan.slice),
        stages(plan.stages), slots(plan.countSlots()),
        iterated(slice.getIterated()), builder(loop), loc(loop.getLoc()) {}

  void run() {
    createRings();
    SmallVector<Value> inits = createFirstCopies();
    inits.push_back(createI32(0));
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
      last = waitForProduct(replaced);
    builder.setInsertionPointAfter(last);
    createWait(0);
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
      RankedTensorType tile = ahead.getTile();
      auto type = cta::BufferType::get(
          builder.getContext(), slots, tile.getShape(), tile.getElementType(),
          cta::SharedLayoutAttr::get(builder.getContext(), ahead.layout));
      auto ring = cta::AllocOp::create(builder, loc, type);
      if (ahead.isMatrix)
        ring.setAlignment(cta::kMatrixAlignment);
      rings.push_back(ring);
    }
  }

  void createWait(int64_t pending) {
    auto isMatrix = [](const AheadLoad &ahead) { return ahead.isMatrix; };
    cta::WaitOp::create(builder, loc, pending, llvm::any_of(loads, isMatrix));
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
    for (auto [ahead, ring] : llvm::zip_equal(loads, rings)) {
      auto copy = cta::CopyOp::create(builder, loc, ring, slot, condition);
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&copy.getLoad());
      IRMapping inner = mapping;
      Operation *load = builder.clone(*ahead.load, inner);
      cta::YieldOp::create(builder, loc, load->getResults());
    }
    cta::CommitOp::create(builder, loc);
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
    isNotEmpty =
        arith::CmpIOp::create(builder, loc,
                              loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                                    : arith::CmpIPredicate::slt,
                              variable, loop.getUpperBound());
    SmallVector<Value> values =
        llvm::map_to_vector(iterated, [&](unsigned number) {
          return Value(loop.getInitArgs()[number]);
        });
    for (int64_t turn = 0; turn < stages - 1; ++turn) {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), variable);
      mapIterated(mapping, values);
      slice.clone(builder, mapping);
      Value condition = arith::AndIOp::create(
          builder, loc, isNotEmpty, createIsTurn(loop.getLowerBound(), turn));
      createCopies(mapping, createI32(turn), condition);
      values = getNext(mapping);
      variable = arith::AddIOp::create(builder, loc, variable, loop.getStep());
    }
    return values;
  }

  /// Waits, copies ahead, and reads what was copied.
  void completeTurn(scf::ForOp replaced, size_t numBefore) {
    loop = replaced;
    Block *body = loop.getBody();
    builder.setInsertionPointToStart(body);
    auto added = loop.getRegionIterArgs().drop_front(numBefore);
    Value readSlot = added.back();
    createWait(stages - 2);
    IRMapping mapping;
    mapping.map(loop.getInductionVar(),
                arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                                      createCount((stages - 1) * getStep())));
    mapIterated(mapping, ValueRange(added.drop_back()));
    slice.clone(builder, mapping);
    Value copySlot = readSlot;
    for (int64_t turn = 0; turn <= plan.countLastingTurns(); ++turn)
      copySlot = createPrevious(copySlot);
    createCopies(mapping, copySlot,
                 createIsTurn(loop.getInductionVar(), stages - 1));
    SmallVector<Value> next = getNext(mapping);
    next.push_back(createNext(readSlot));
    auto yield = cast<scf::YieldOp>(body->getTerminator());
    yield->setOperands(numBefore, next.size(), next);
    for (auto [ahead, ring] : llvm::zip_equal(loads, rings))
      readFrom(ahead, ring, readSlot);
  }

  /// Lets the product of each turn go on, and waits for the last one. A loop
  /// of no turns has none: what is in flight on one way here and not on the
  /// other, ptxas would not let be in flight at all.
  Operation *waitForProduct(scf::ForOp loop) {
    cta::DotOp dot = plan.lasting;
    dot.setGoesOn(true);
    unsigned number = cast<BlockArgument>(dot.getAccumulator()).getArgNumber() -
                      loop.getNumInductionVars();
    builder.setInsertionPoint(loop);
    auto guard = scf::IfOp::create(builder, loc, loop.getResultTypes(),
                                   isNotEmpty, /*withElseRegion=*/true);
    loop->replaceAllUsesWith(guard.getResults());
    builder.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(builder, loc, loop.getInitArgs());
    loop->moveBefore(guard.thenBlock(), guard.thenBlock()->end());
    builder.setInsertionPointAfter(loop);
    SmallVector<Value> results(loop.getResults());
    results[number] = cta::WaitDotOp::create(builder, loc, results[number]);
    scf::YieldOp::create(builder, loc, results);
    return guard;
  }

  Value createPrevious(Value slot) {
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, slot, createI32(0));
    return arith::SelectOp::create(
        builder, loc, isFirst, createI32(slots - 1),
        arith::SubIOp::create(builder, loc, slot, createI32(1)));
  }
  Value createNext(Value slot) {
    Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         slot, createI32(slots - 1));
    return arith::SelectOp::create(
        builder, loc, isLast, createI32(0),
        arith::AddIOp::create(builder, loc, slot, createI32(1)));
  }

  /// Each user of the tile that wants it in another layout reads it so.
  void readFrom(const AheadLoad &ahead, Value ring, Value slot) {
    Operation *load = ahead.load;
    RankedTensorType tile = ahead.getTile();
    SmallVector<int64_t> origin(tile.getRank(), 0);
    for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
      if (auto convert = dyn_cast<cta::ConvertLayoutOp>(user)) {
        builder.setInsertionPoint(convert);
        convert.getResult().replaceAllUsesWith(cta::ReadOp::create(
            builder, loc, convert.getType(), ring, slot, origin));
        convert.erase();
      }
    builder.setInsertionPoint(load);
    if (!load->use_empty())
      load->getResult(0).replaceAllUsesWith(
          cta::ReadOp::create(builder, loc, tile, ring, slot, origin));
    load->erase();
  }

  const Plan &plan;
  scf::ForOp loop;
  ArrayRef<AheadLoad> loads;
  const LoopSlice &slice;
  int64_t stages, slots;
  SmallVector<unsigned> iterated;
  OpBuilder builder;
  Location loc;
  SmallVector<Value> rings;
  /// That the loop has a turn.
  Value isNotEmpty;
};

struct CtaPipelineLoads
    : triton_shared::impl::CtaPipelineLoadsBase<CtaPipelineLoads> {
  using CtaPipelineLoadsBase::CtaPipelineLoadsBase;

  void runOnOperation() override {
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return signalPassFailure();
    // What is known about values holds before the first loop changes.
    SmallVector<Plan> plans;
    getOperation().walk([&](scf::ForOp loop) {
      auto function = loop->getParentOfType<func::FuncOp>();
      if (function && function->hasAttr(cta::kNumWarps))
        if (std::optional<Plan> found = plan(loop, solver))
          plans.push_back(std::move(*found));
    });
    for (const Plan &found : plans)
      LoopPipeline(found).run();
  }

private:
  std::optional<Plan> plan(scf::ForOp loop, const DataFlowSolver &solver) {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!step || *step <= 0 || *step > kLargestStep)
      return std::nullopt;
    Plan plan = {loop, LoopSlice(loop), {}, nullptr, 1};
    plan.loads = AheadLoads(loop, solver).find(plan.slice);
    plan.lasting = findLastingDot(loop, plan.loads);
    fitStages(plan);
    if (plan.stages < 2 && plan.lasting) {
      plan.lasting = nullptr;
      fitStages(plan);
    }
    if (plan.loads.empty() || plan.stages < 2)
      return std::nullopt;
    return plan;
  }

  /// As many stages as asked for, or as there is room for.
  void fitStages(Plan &plan) const {
    int64_t perSlot = 0, others = 0;
    for (const AheadLoad &ahead : plan.loads)
      perSlot += cta::getTileBytes(ahead.getTile());
    // Operands that are not read where they were loaded have buffers of their
    // own.
    auto isLoaded = [&](Value operand) {
      if (auto convert = operand.getDefiningOp<cta::ConvertLayoutOp>())
        operand = convert.getSource();
      return llvm::any_of(plan.loads, [&](const AheadLoad &ahead) {
        return ahead.load == operand.getDefiningOp();
      });
    };
    llvm::SmallDenseSet<Value> buffered;
    plan.loop.walk([&](cta::DotOp dot) {
      for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()})
        if ((!dot.getWgmma() || dot.isReadFromShared(*operand)) &&
            !isLoaded(operand->get()) && buffered.insert(operand->get()).second)
          others += cta::getTileBytes(cta::getTile(operand->get()));
    });
    int64_t sharedBytes =
        cta::getTarget(plan.loop->getParentOfType<func::FuncOp>())
            .getSharedBytes();
    plan.stages = numStages;
    while (plan.stages > 1 &&
           plan.countSlots() * perSlot + others > sharedBytes)
      --plan.stages;
  }

  /// So that a few steps are no overflow.
  static constexpr int64_t kLargestStep = 1 << 24;
};

} // namespace
