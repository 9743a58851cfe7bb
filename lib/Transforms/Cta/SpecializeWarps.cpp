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

#include "Assembly.h"
#include "BoxStores.h"
#include "Branches.h"
#include "HandOn.h"
#include "LastingDot.h"
#include "OperandTiles.h"
#include "ProgramSlice.h"
#include "Rings.h"
#include "SpecializePlan.h"
#include "TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASPECIALIZEWARPS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// One warp more has to fit into a block.
static constexpr int64_t kMostWarps = 16;

namespace {

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
      IRRewriter rewriter(builder);
      [[maybe_unused]] LogicalResult isEarlier =
          moveOperationDependencies(rewriter, ahead.load, reader);
      assert(succeeded(isEarlier) && "was asked before");
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
    cta::ArriveOp::create(builder, empty.getLoc(), empty, slot, condition,
                          /*byWarps=*/false);
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
    [[maybe_unused]] bool isSlice = slice.add(copy);
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

/// Leaves out the loops of `function` that a warp should have copied for.
void dropHoisted(func::FuncOp function) {
  SmallVector<scf::IfOp> choices;
  function.walk([&](scf::IfOp choice) {
    if (choice.getCondition().getDefiningOp<cta::AllTurnsOp>())
      choices.push_back(choice);
  });
  for (scf::IfOp choice : choices)
    takePart(choice, *choice.elseBlock());
}

struct CtaSpecializeWarps
    : triton_shared::impl::CtaSpecializeWarpsBase<CtaSpecializeWarps> {
  using CtaSpecializeWarpsBase::CtaSpecializeWarpsBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isCandidate(function))
        functions.push_back(function);
      else
        dropHoisted(function);
    if (functions.empty())
      return;
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return signalPassFailure();
    // What is known about values holds before the first loop changes.
    auto plans = llvm::map_to_vector(functions, [&](func::FuncOp function) {
      return planSpecialization(function, solver, numStages, always);
    });
    for (auto [function, plan] : llvm::zip_equal(functions, plans))
      if (!plan.rings.empty())
        specialize(function, plan);
      else
        dropHoisted(function);
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
    if (!warps || *warps > kMostWarps || !cta::getTarget(function).hasTma() ||
        hasAssembly(function))
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
