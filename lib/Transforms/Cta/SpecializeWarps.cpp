//===- SpecializeWarps.cpp - A warp that copies for the others ------------===//
//
// First the program is made to copy what a turn needs right before it: the loop
// waits until a slot is empty, asks for the copies, waits until it is full, and
// says when the slot has been read. That is in order, and right, for any
// threads; slots and phases are counted through the whole program. Then the
// waits for empty slots and the copies, with the scalars and the loops that
// they need, go to a warp of their own.
//
//===----------------------------------------------------------------------===//

#include "BoxStores.h"
#include "Branches.h"
#include "HandOn.h"
#include "LastingDot.h"
#include "OperandTiles.h"
#include "ProgramSlice.h"
#include "Rings.h"
#include "SharedNeeds.h"
#include "TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASPECIALIZEWARPS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// What asks for it in the source: `tl.range(…, warp_specialize=True)`.
static constexpr StringLiteral kAsked = "tt.warp_specialize";

/// One warp more has to fit into a block.
static constexpr int64_t kMostWarps = 16;

namespace {

//===----------------------------------------------------------------------===//
// What is to be done
//===----------------------------------------------------------------------===//

/// A loop whose operands are copied.
struct BoxLoop {
  scf::ForOp loop;
  SmallVector<AheadLoad> loads;
  /// The product that goes on while the next turn begins, if any.
  cta::DotOp lasting;
};

/// Loops that share rings.
struct RingPlan {
  std::vector<BoxLoop> loops;
  int64_t slots;
  /// For each load of a loop, which of the others it is waited for with, by
  /// number: products of a group wait for no other.
  SmallVector<unsigned> groups;
};

/// What becomes of a program: nothing if it has no rings.
struct ProgramPlan {
  std::vector<RingPlan> rings;
  /// Stores that go through a ring of their own.
  SmallVector<tts::StoreOp> inParts;
  /// No second block has room beside this one.
  bool isAlone = false;
};

/// Finds what can be done to one function.
class FunctionPlan {
public:
  FunctionPlan(func::FuncOp function, const DataFlowSolver &solver,
               unsigned numStages, bool always)
      : function(function), solver(solver), boxes(function, solver),
        numStages(numStages), always(always) {}

  ProgramPlan find() {
    std::vector<BoxLoop> loops;
    function.walk([&](scf::ForOp loop) {
      LoopSlice slice(loop);
      SmallVector<AheadLoad> loads =
          AheadLoads(loop, solver, boxes).find(slice);
      if (loads.empty())
        return;
      if (isPossible(loop, loads))
        loops.push_back({loop, loads, findLasting(loop, loads)});
      else
        others.push_back(loop);
    });
    bool isWanted =
        llvm::any_of(loops, [&](BoxLoop &one) { return isWorth(one.loop); });
    return isWanted && areOthersApart(loops) ? fit(share(loops))
                                             : ProgramPlan();
  }

private:
  bool isPossible(scf::ForOp loop, ArrayRef<AheadLoad> loads) {
    ProgramSlice slice(function.getBody().front());
    return HandOn::isPossible(loop, &function.getBody().front()) &&
           llvm::all_of(loads, [&](const AheadLoad &ahead) {
             return ahead.box && !ahead.isAfterWrites && ahead.isMatrix &&
                    isReadByProducts(ahead) && slice.addAround(ahead.load) &&
                    slice.addValues(getScalars(ahead.load));
           });
  }

  /// Rings of other loops have room where those of a program are that does not
  /// come to them.
  bool areOthersApart(ArrayRef<BoxLoop> loops) {
    return llvm::all_of(others, [&](scf::ForOp other) {
      return llvm::all_of(loops, [&](const BoxLoop &one) {
        return areApart(one.loop, other, function);
      });
    });
  }

  /// What the place of a box is computed from.
  static SmallVector<Value> getScalars(Operation *load) {
    SmallVector<Value> scalars(load->getOperands());
    llvm::erase_if(scalars, [](Value value) {
      return isa<RankedTensorType, UnrankedMemRefType>(value.getType());
    });
    return scalars;
  }

  /// True if nobody but products of the same turn reads it, from the ring.
  static bool isReadByProducts(const AheadLoad &ahead) {
    SmallVector<OpOperand *> reads =
        findSharedReads(ahead.load->getResult(0), ahead.load->getBlock());
    auto isRead = [&](OpOperand &use) {
      return llvm::is_contained(reads, &use);
    };
    return llvm::all_of(reads,
                        [&](OpOperand *use) {
                          return canReadOperand(
                              *use, getRingType(ahead, /*slots=*/1));
                        }) &&
           llvm::all_of(ahead.load->getUses(), [&](OpOperand &use) {
             auto transpose = dyn_cast<cta::TransposeOp>(use.getOwner());
             return transpose ? llvm::all_of(transpose->getUses(), isRead)
                              : isRead(use);
           });
  }

  /// Nobody waits before a turn writes an operand.
  static cta::DotOp findLasting(scf::ForOp loop, ArrayRef<AheadLoad> loads) {
    cta::DotOp dot = findLastingDot(loop);
    auto isThere = [&](Value operand) {
      return loop.isDefinedOutsideOfLoop(operand) ||
             llvm::any_of(loads, [&](const AheadLoad &ahead) {
               return ahead.load == operand.getDefiningOp();
             });
    };
    return dot && isThere(dot.getA()) && isThere(dot.getB()) ? dot : nullptr;
  }

  /// With a loop around, copies for its next turn hide what happens between.
  /// Of several products, one group of warps computes while another does what
  /// tensor cores cannot.
  bool isWorth(scf::ForOp loop) const {
    bool isAsked = always;
    for (Operation *op = loop; op != function; op = op->getParentOp())
      isAsked |= op->hasAttr(kAsked);
    int64_t dots = 0, warps = *cta::getNumWarps(function);
    loop.walk([&](cta::DotOp) { ++dots; });
    bool hasAround = loop->getParentOfType<LoopLikeOpInterface>() != nullptr;
    bool hasOthers = dots > 1 && warps > GpuTarget::kWarpgroupWarps;
    return isAsked || ((hasAround || hasOthers) && warps <= kMostUsualWarps);
  }

  static bool haveSameRings(const BoxLoop &a, const BoxLoop &b) {
    return llvm::equal(a.loads, b.loads,
                       [](const AheadLoad &one, const AheadLoad &other) {
                         return getRingType(one, 1) == getRingType(other, 1);
                       });
  }

  static std::vector<RingPlan> share(ArrayRef<BoxLoop> loops) {
    std::vector<RingPlan> plans;
    for (const BoxLoop &one : loops) {
      auto shared = llvm::find_if(plans, [&](const RingPlan &plan) {
        return haveSameRings(plan.loops.front(), one);
      });
      if (shared == plans.end()) {
        plans.push_back({{one}, 1, findGroups(one)});
        continue;
      }
      shared->loops.push_back(one);
      if (findGroups(one) != shared->groups)
        shared->groups.assign(one.loads.size(), 0);
    }
    return plans;
  }

  /// Loads that one product reads are in one group.
  static SmallVector<unsigned> findGroups(const BoxLoop &one) {
    auto groups = llvm::to_vector(llvm::seq<unsigned>(one.loads.size()));
    llvm::DenseMap<Operation *, unsigned> readers;
    for (auto [number, ahead] : llvm::enumerate(one.loads))
      for (OpOperand *use :
           findSharedReads(ahead.load->getResult(0), ahead.load->getBlock())) {
        auto [reader, isNew] = readers.try_emplace(use->getOwner(), number);
        llvm::replace(groups, unsigned(groups[number]),
                      unsigned(groups[reader->second]));
      }
    return groups;
  }

  /// As many slots as asked for, or as there is room for.
  ProgramPlan fit(std::vector<RingPlan> plans) {
    llvm::SmallDenseSet<Operation *> inRings;
    int64_t perSlot = 0, least = 2;
    for (const RingPlan &plan : plans) {
      for (const AheadLoad &ahead : plan.loops.front().loads)
        perSlot += cta::getTileBytes(ahead.getTile());
      for (const BoxLoop &one : plan.loops) {
        for (const AheadLoad &ahead : one.loads)
          inRings.insert(ahead.load);
        // Two products read slots at once, and one slot is filled meanwhile.
        if (one.lasting)
          least = std::clamp<int64_t>(numStages, 2, 3);
      }
    }
    ProgramPlan program;
    int64_t slots = countSlots(perSlot, inRings, /*more=*/0);
    if (slots < numStages) {
      StoreRing ring = findStoreRing();
      inRings.insert(ring.stores.begin(), ring.stores.end());
      int64_t others = countSlots(perSlot, inRings, ring.bytes);
      if (others > slots) {
        slots = others;
        program.inParts = ring.stores;
      }
    }
    if (slots < least)
      return {};
    for (RingPlan &plan : plans)
      plan.slots = slots;
    program.rings = std::move(plans);
    int64_t bytes =
        perSlot * slots + countOtherSharedBytes(function, inRings, others);
    program.isAlone = 2 * bytes > cta::getTarget(function).getSharedBytes() ||
                      countSums() > kMostSumsOfTwo;
    return program;
  }

  /// The most registers of a thread that results of a loop's products take.
  int64_t countSums() {
    int64_t most = 0;
    function.walk([&](scf::ForOp loop) {
      int64_t sums = 0;
      for (auto dot : loop.getOps<cta::DotOp>())
        sums += cta::getLayout(dot.getType()).getNumRegisters();
      most = std::max(most, sums);
    });
    return most;
  }

  /// How many slots there is room for, of those asked for, beside `more` bytes
  /// and what the program needs that is not `inRings`.
  int64_t countSlots(int64_t perSlot,
                     const llvm::SmallDenseSet<Operation *> &inRings,
                     int64_t more) const {
    int64_t room = cta::getTarget(function).getSharedBytes() - more -
                   countOtherSharedBytes(function, inRings, others);
    return std::clamp<int64_t>(room / perSlot, 1, numStages);
  }

  /// Stores that can go through one ring in parts.
  struct StoreRing {
    SmallVector<tts::StoreOp> stores;
    int64_t bytes = 0;
  };

  /// The stores of one block of a loop whose parts are alike.
  StoreRing findStoreRing() {
    StoreRing ring;
    std::optional<BoxStore> first;
    for (const BoxStore &found : findBoxStores(function, boxes)) {
      std::optional<SmallVector<int64_t>> part = findStageParts(found);
      if (!part || found.isOrdered ||
          !tts::StoreOp(found.store)->getParentOfType<LoopLikeOpInterface>())
        continue;
      if (!first) {
        first = found;
        ring.bytes = kStageSlots * ShapedType::getNumElements(*part) *
                     cta::getElementBytes(cta::getTile(found.getValue()));
      }
      if (canShareStage(*first, found))
        ring.stores.push_back(found.store);
    }
    return ring;
  }

  /// With these and one more, each thread has the registers that it needs.
  static constexpr int64_t kMostUsualWarps = 8;
  /// With more registers of results, threads of `kMostUsualWarps` need more
  /// than the 96 that they have if two blocks run side by side.
  static constexpr int64_t kMostSumsOfTwo = 64;

  func::FuncOp function;
  const DataFlowSolver &solver;
  TensorBoxAnalysis boxes;
  int64_t numStages;
  bool always;
  /// Loops that copy otherwise.
  SmallVector<scf::ForOp> others;
};

//===----------------------------------------------------------------------===//
// The program that copies
//===----------------------------------------------------------------------===//

/// Lets loops read rings, which they fill themselves.
class RingLoops {
public:
  RingLoops(const RingPlan &plan, Block &body)
      : plan(plan), body(body), slots(plan.slots) {}

  void run() {
    auto builder = OpBuilder::atBlockBegin(&body);
    Location loc = body.getParentOp()->getLoc();
    const BoxLoop &first = plan.loops.front();
    for (const AheadLoad &ahead : first.loads)
      rings.push_back(createRing(builder, loc, ahead, slots));
    auto type = cta::MbarriersType::get(builder.getContext(), slots);
    auto function = cast<FunctionOpInterface>(body.getParentOp());
    int64_t readers = *cta::getNumWarps(function) / GpuTarget::kWarpgroupWarps;
    for (unsigned group : plan.groups)
      if (auto [known, isNew] = barriers.try_emplace(group); isNew)
        known->second = {
            cta::MbarriersOp::create(builder, loc, type,
                                     llvm::count(plan.groups, group)),
            cta::MbarriersOp::create(builder, loc, type, readers)};
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    auto loops = llvm::map_to_vector(
        plan.loops, [](const BoxLoop &one) { return one.loop; });
    HandOn(loops, [&](scf::ForOp loop, ValueRange values) {
      return rewrite(
          *llvm::find_if(plan.loops,
                         [&](const BoxLoop &one) { return one.loop == loop; }),
          values);
    }).run(body, {zero, zero});
  }

  /// What makes rings and barriers.
  SmallVector<Operation *> getAllocations() const {
    SmallVector<Operation *> all(rings.begin(), rings.end());
    for (auto [group, both] : barriers)
      all.append({both.full, both.empty});
    return all;
  }

  /// What fills the rings.
  SmallVector<Operation *> copies;

private:
  /// Where copies arrive, and where their readers do.
  struct Barriers {
    cta::MbarriersOp full, empty;
  };
  /// Operations of a loop's body between which a group reads its slots.
  struct Readers {
    Operation *first = nullptr, *last = nullptr;
  };

  /// Gives slot and phase behind the loop.
  SmallVector<Value> rewrite(const BoxLoop &one, ValueRange state) {
    OpBuilder builder(one.loop);
    Value isNotEmpty =
        one.lasting ? createIsNotEmpty(builder, one.loop) : Value();
    IRRewriter rewriter(builder.getContext());
    rewriter.setInsertionPoint(one.loop);
    auto loop =
        cast<scf::ForOp>(*scf::ForOp(one.loop).replaceWithAdditionalYields(
            rewriter, state, /*replaceInitOperandUsesInLoop=*/false,
            [&](OpBuilder &inside, Location loc,
                ArrayRef<BlockArgument> arguments) -> SmallVector<Value> {
              Value next =
                  createNextSlot(inside, loc, arguments.front(), slots);
              return {next,
                      createNextPhase(inside, loc, next, arguments.back())};
            }));
    Value slot = loop.getRegionIterArgs().drop_back().back();
    Value phase = loop.getRegionIterArgs().back();
    auto readers = findReaders(one);
    fill(one, readers, slot, phase);
    if (!one.lasting) {
      for (auto [group, operations] : readers) {
        builder.setInsertionPointAfter(operations.last);
        arrive(builder, group, slot, createBool(builder, true));
      }
      return llvm::to_vector_of<Value>(loop.getResults().take_back(2));
    }
    unsigned group = plan.groups.front();
    builder.setInsertionPointAfter(one.lasting);
    letGoOn(builder, one.lasting, 1);
    Value isNotFirst =
        arith::CmpIOp::create(builder, loop.getLoc(), arith::CmpIPredicate::ne,
                              loop.getInductionVar(), loop.getLowerBound());
    arrive(builder, group,
           createPreviousSlot(builder, loop.getLoc(), slot, slots), isNotFirst);
    scf::IfOp guard = waitForLastTurn(loop, one.lasting, isNotEmpty);
    builder.setInsertionPoint(guard.thenYield());
    Value after = loop.getResults().drop_back().back();
    arrive(builder, group,
           createPreviousSlot(builder, loop.getLoc(), after, slots),
           createBool(builder, true));
    return llvm::to_vector_of<Value>(guard.getResults().take_back(2));
  }

  /// By group.
  std::map<unsigned, Readers> findReaders(const BoxLoop &one) const {
    std::map<unsigned, Readers> readers;
    for (auto [ahead, group] : llvm::zip_equal(one.loads, plan.groups))
      for (OpOperand *use :
           findSharedReads(ahead.load->getResult(0), ahead.load->getBlock())) {
        Operation *reader = use->getOwner();
        Readers &known = readers[group];
        if (!known.first || reader->isBeforeInBlock(known.first))
          known.first = reader;
        if (!known.last || known.last->isBeforeInBlock(reader))
          known.last = reader;
      }
    return readers;
  }

  /// Fills the slots of a group before the first product that reads them, so
  /// that copies are asked for in the order in which they are needed.
  void fill(const BoxLoop &one, std::map<unsigned, Readers> readers, Value slot,
            Value phase) {
    OpBuilder builder(one.loads.front().load);
    Location loc = one.loads.front().load->getLoc();
    // At first nobody has to read a slot: the phase before the first is over.
    Value before = arith::XOrIOp::create(
        builder, loc, phase, arith::ConstantIntOp::create(builder, loc, 1, 32));
    llvm::SmallDenseSet<unsigned> filled;
    for (auto [ahead, ring, group] :
         llvm::zip_equal(one.loads, rings, plan.groups)) {
      auto [full, empty] = barriers.at(group);
      Operation *&reader = readers.at(group).first;
      builder.setInsertionPoint(reader);
      if (filled.insert(group).second) {
        copies.push_back(
            cta::WaitMbarrierOp::create(builder, loc, empty, slot, before));
        reader = cta::WaitMbarrierOp::create(builder, loc, full, slot, phase);
        builder.setInsertionPoint(reader);
      }
      TensorMap map = addTensorMap(*ahead.box, ring);
      SmallVector<Value> start =
          createBoxStart(builder, ahead.load->getLoc(),
                         cast<tts::LoadOp>(ahead.load), *ahead.box, {});
      copies.push_back(cta::CopyBoxOp::create(
          builder, ahead.load->getLoc(), map.address, start, map.dims,
          map.piece, ring, slot, full, createBool(builder, true)));
      readFromRing(ahead, ring, slot);
    }
  }

  static Value createBool(OpBuilder &builder, bool value) {
    return arith::ConstantIntOp::create(
        builder, builder.getInsertionBlock()->getParentOp()->getLoc(), value,
        1);
  }

  void arrive(OpBuilder &builder, unsigned group, Value slot, Value condition) {
    cta::MbarriersOp empty = barriers.at(group).empty;
    cta::ArriveOp::create(builder, empty.getLoc(), empty, slot, condition);
  }

  const RingPlan &plan;
  Block &body;
  int64_t slots;
  SmallVector<cta::AllocOp> rings;
  std::map<unsigned, Barriers> barriers;
};

/// Puts what fills rings into the first of `producers` warps more.
void split(func::FuncOp function, int64_t producers,
           ArrayRef<Operation *> copies, ArrayRef<Operation *> allocations) {
  Block &body = function.getBody().front();
  ProgramSlice slice(body, allocations);
  for (Operation *copy : copies) {
    bool isSlice = slice.add(copy);
    (void)isSlice;
    assert(isSlice && "was asked before");
  }
  OpBuilder builder(body.getTerminator());
  auto parted = cta::SpecializeOp::create(builder, function.getLoc());
  Block *consumers = builder.createBlock(&parted.getConsumers());
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    if (&op != parted.getOperation() && !llvm::is_contained(allocations, &op))
      op.moveBefore(consumers, consumers->end());
  cta::YieldOp::create(builder, function.getLoc());
  builder.createBlock(&parted.getProducer());
  slice.clone(*consumers, builder);
  cta::YieldOp::create(builder, function.getLoc());
  for (Operation *copy : copies)
    copy->erase();
  function->setAttr(cta::kProducerWarps, builder.getI32IntegerAttr(producers));
}

struct CtaSpecializeWarps
    : triton_shared::impl::CtaSpecializeWarpsBase<CtaSpecializeWarps> {
  using CtaSpecializeWarpsBase::CtaSpecializeWarpsBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isCandidate(function))
        functions.push_back(function);
    if (functions.empty())
      return;
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return signalPassFailure();
    // What is known about values holds before the first loop changes.
    auto plans = llvm::map_to_vector(functions, [&](func::FuncOp function) {
      return FunctionPlan(function, solver, numStages, always).find();
    });
    for (auto [function, plan] : llvm::zip_equal(functions, plans))
      if (!plan.rings.empty())
        specialize(function, plan);
  }

private:
  /// True for what tells the program that others have written something: it
  /// must not be read before.
  static bool isWaitForOthers(Operation *op) {
    auto access = dyn_cast<tts::AccessOpInterface>(op);
    if (!access || !access.isAtomic())
      return false;
    bool tells = access.getAtomicOrder() != tts::MemoryOrder::Relaxed &&
                 access.getAtomicOrder() != tts::MemoryOrder::Release;
    return access.waits() || (tells && !op->use_empty());
  }

  /// True if a loop of `function` may have products of what is copied, and one
  /// warp more fits beside its own, whose number it does not ask for.
  static bool isCandidate(func::FuncOp function) {
    std::optional<int64_t> warps = cta::getNumWarps(function);
    if (!warps || *warps > kMostWarps || !cta::getTarget(function).hasTma())
      return false;
    bool hasProduct = false;
    WalkResult result = function.walk([&](Operation *op) {
      auto dot = dyn_cast<cta::DotOp>(op);
      hasProduct |= dot && dot.getWgmma() && op->getParentOfType<scf::ForOp>();
      bool stays = isa<tts::ReadMachineOp>(op) || isWaitForOthers(op);
      return stays ? WalkResult::interrupt() : WalkResult::advance();
    });
    return hasProduct && !result.wasInterrupted();
  }

  /// A whole group of warps can leave registers to those that compute, who need
  /// them if there are several groups. Where two blocks may run side by side,
  /// it would take those of the other one.
  int64_t countProducers(func::FuncOp function,
                         const ProgramPlan &program) const {
    constexpr int64_t kGroup = GpuTarget::kWarpgroupWarps;
    bool isCrowded = *cta::getNumWarps(function) > kGroup;
    return movesRegisters && program.isAlone && isCrowded ? kGroup : 1;
  }

  void specialize(func::FuncOp function, const ProgramPlan &program) {
    Block &body = function.getBody().front();
    SmallVector<Operation *> copies, allocations;
    for (tts::StoreOp store : program.inParts)
      store->setAttr(cta::kInParts, UnitAttr::get(function.getContext()));
    for (const RingPlan &plan : program.rings) {
      RingLoops loops(plan, body);
      loops.run();
      llvm::append_range(copies, loops.copies);
      llvm::append_range(allocations, loops.getAllocations());
    }
    split(function, countProducers(function, program), copies, allocations);
  }
};

} // namespace
