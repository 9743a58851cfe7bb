//===- OverlapDots.cpp - Products that begin together ---------------------===//
//
// A turn of a loop may have products that depend on nothing that it computes
// from others, as the scores of an attention and the gradients of its powers
// do. These begin with the first one, and each is waited for where its result
// is needed: tensor cores go on while threads compute.
//
//===----------------------------------------------------------------------===//

#include "LastingDot.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAOVERLAPDOTS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The registers of a thread besides those of the tiles of a loop, about.
constexpr int64_t kOtherRegisters = 40;

int64_t countRegisters(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? cta::getThreadBytes(tile) / 4 : 0;
}

/// Whether `op` reads at most, or begins what is waited for later.
bool onlyReads(Operation *op) {
  if (isMemoryEffectFree(op))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || op->getNumRegions())
    return false;
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::all_of(all, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Read>(effect.getEffect());
  });
}

/// The products in the body of one loop.
class LoopDots {
public:
  explicit LoopDots(scf::ForOp loop) : loop(loop) {}

  void run() {
    if (!collect())
      return;
    SmallVector<cta::DotOp> together = {dots.front()};
    for (cta::DotOp dot : ArrayRef(dots).drop_front())
      if (std::optional<Operations> needed = findNeeded(dot, together)) {
        begin(dot, *needed, together.back());
        together.push_back(dot);
      }
    if (together.size() < 2)
      return;
    keepRegisters(together);
    for (cta::DotOp dot : together)
      waitWhereNeeded(dot);
    for (cta::DotOp dot : together)
      countPending(dot);
  }

private:
  using Operations = llvm::SmallSetVector<Operation *, 4>;

  /// False if the loop has none that could begin together, or products that go
  /// on for longer.
  bool collect() {
    for (Operation &op : *loop.getBody()) {
      if (op.getNumRegions() && hasDots(op))
        return false;
      auto dot = dyn_cast<cta::DotOp>(op);
      if (!dot)
        continue;
      bool isKnown = dot.getWgmma() && !dot.getPartialDepth() &&
                     (!dot.getGoesOn() || findWait(dot));
      if (!isKnown)
        return false;
      dots.push_back(dot);
    }
    return dots.size() > 1 && isOfBuffers(dots.front());
  }

  static bool hasDots(Operation &op) {
    return op
        .walk([](Operation *inside) {
          return isa<cta::DotOp, cta::WaitDotOp>(inside)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Who waits in the same turn for nothing but `dot`, if it goes on until
  /// then.
  static cta::WaitDotOp findWait(cta::DotOp dot) {
    if (!dot.getGoesOn() || !dot->hasOneUse())
      return nullptr;
    auto wait = dyn_cast<cta::WaitDotOp>(*dot->user_begin());
    bool isOfTurn =
        wait && wait->getBlock() == dot->getBlock() && wait.getPending() == 0;
    return isOfTurn ? wait : nullptr;
  }

  /// Whether it reads no registers that the loop writes.
  bool isOfBuffers(cta::DotOp dot) {
    return dot.isReadFromShared(dot.getBMutable()) &&
           (dot.isReadFromShared(dot.getAMutable()) ||
            loop.isDefinedOutsideOfLoop(dot.getA()));
  }

  /// What of the operands of `dot` is computed behind `last`; nothing if it
  /// cannot be before that.
  static std::optional<Operations> findOperands(cta::DotOp dot,
                                                Operation *last) {
    Operations needed;
    SmallVector<Operation *> open = {dot};
    while (!open.empty())
      for (Value operand : open.pop_back_val()->getOperands()) {
        Operation *made = operand.getDefiningOp();
        bool isOfTurn = made && made->getBlock() == dot->getBlock();
        if (isOfTurn && isa<cta::DotOp>(made))
          return std::nullopt;
        if (!isOfTurn || !last->isBeforeInBlock(made) || needed.contains(made))
          continue;
        if (!isMemoryEffectFree(made) || made->getNumRegions())
          return std::nullopt;
        needed.insert(made);
        open.push_back(made);
      }
    return needed;
  }

  /// What begins with `dot` behind those; nothing if it cannot: something
  /// between waits for what it reads, or writes it. What is copied there in the
  /// meantime is for later.
  std::optional<Operations> findNeeded(cta::DotOp dot,
                                       ArrayRef<cta::DotOp> together) {
    if (!isOfBuffers(dot) || dot.getGoesOn() || !fits(dot, together))
      return std::nullopt;
    for (Operation *op = together.back()->getNextNode(); op != dot;
         op = op->getNextNode())
      if (!onlyReads(op) && !isa<cta::DotOp, cta::WaitDotOp, cta::CopyOp,
                                 cta::CopyBoxOp, cta::CommitOp>(op))
        return std::nullopt;
    return findOperands(dot, together.back());
  }

  bool fits(cta::DotOp dot, ArrayRef<cta::DotOp> together) {
    return countRegisters(together) + countResults(dot) <=
           GpuTarget::kRegistersPerThread;
  }

  /// Those of a result that is no sum of the loop.
  static int64_t countResults(cta::DotOp dot) {
    return isa<BlockArgument>(dot.getAccumulator())
               ? 0
               : ::countRegisters(dot.getType());
  }

  /// What a thread needs while `together` go on.
  int64_t countRegisters(ArrayRef<cta::DotOp> together) {
    int64_t registers = kOtherRegisters;
    for (Type type : loop.getResultTypes())
      registers += ::countRegisters(type);
    for (cta::DotOp dot : together)
      registers += countResults(dot);
    return registers;
  }

  /// Adds to `together` the products of registers that may keep these while
  /// later ones begin, if as many programs as before share a multiprocessor.
  void keepRegisters(SmallVectorImpl<cta::DotOp> &together) {
    int64_t registers = countRegisters(together);
    for (cta::DotOp dot : ArrayRef(dots).drop_back()) {
      bool isOfRegisters = !dot.getGoesOn() &&
                           !llvm::is_contained(together, dot) &&
                           isa<RankedTensorType>(dot.getA().getType());
      if (!isOfRegisters)
        continue;
      int64_t more = registers + ::countRegisters(dot.getA().getType());
      if (countPrograms(more) != countPrograms(registers))
        continue;
      together.push_back(dot);
      registers = more;
    }
  }

  /// That share a multiprocessor.
  int64_t countPrograms(int64_t registers) {
    auto function = loop->getParentOfType<FunctionOpInterface>();
    return registers > GpuTarget::kRegistersPerThread
               ? 0
               : GpuTarget::kRegistersPerBlock /
                     (registers * cta::getNumThreads(function));
  }

  /// Moves `dot` behind `last`, with what it needs.
  void begin(cta::DotOp dot, const Operations &needed, cta::DotOp last) {
    ends[dot] = dot->getNextNode();
    SmallVector<Operation *> inOrder(needed.begin(), needed.end());
    llvm::sort(inOrder, [](Operation *lhs, Operation *rhs) {
      return lhs->isBeforeInBlock(rhs);
    });
    Operation *place = last;
    for (Operation *op : inOrder) {
      op->moveAfter(place);
      place = op;
    }
    dot->moveAfter(place);
  }

  /// Lets `dot` go on until its result is needed, or what it reads may change.
  void waitWhereNeeded(cta::DotOp dot) {
    if (dot.getGoesOn())
      return;
    Operation *end = ends.lookup(dot);
    Operation *place = dot->getNextNode();
    for (bool isBefore = end; !place->hasTrait<OpTrait::IsTerminator>();
         place = place->getNextNode()) {
      isBefore &= place != end;
      bool isUser = llvm::is_contained(place->getOperands(), dot.getResult());
      bool isFree = onlyReads(place) || isa<cta::DotOp, cta::WaitDotOp>(place);
      if (isUser || (!isBefore && (place->getNumRegions() || !isFree)))
        break;
    }
    OpBuilder builder(place);
    letGoOn(builder, dot, /*turns=*/0);
  }

  /// Products that have begun since then may go on, unless one was waited for.
  static void countPending(cta::DotOp dot) {
    cta::WaitDotOp wait = cast<cta::WaitDotOp>(*dot->user_begin());
    int64_t pending = 0;
    for (Operation *op = dot->getNextNode(); op != wait;
         op = op->getNextNode()) {
      auto other = dyn_cast<cta::DotOp>(op);
      if (other)
        pending = other.getGoesOn() ? pending + 1 : 0;
    }
    wait.setPending(pending);
  }

  scf::ForOp loop;
  /// In order.
  SmallVector<cta::DotOp> dots;
  /// What was behind a product that begins earlier now.
  DenseMap<Operation *, Operation *> ends;
};

struct CtaOverlapDots
    : triton_shared::impl::CtaOverlapDotsBase<CtaOverlapDots> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      LoopDots(loop).run();
  }
};

} // namespace
