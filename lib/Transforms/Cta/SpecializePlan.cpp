//===- SpecializePlan.cpp - What a warp can copy for the others -----------===//

#include "SpecializePlan.h"
#include "BoxStores.h"
#include "Branches.h"
#include "HandOn.h"
#include "LastingDot.h"
#include "OperandTiles.h"
#include "ProgramSlice.h"
#include "Rings.h"
#include "SharedNeeds.h"
#include "TensorMaps.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// What asks for it in the source: `tl.range(…, warp_specialize=True)`.
static constexpr StringLiteral kAsked = "tt.warp_specialize";

namespace {

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
    leaveOutMixed(loops);
    if (llvm::none_of(loops, [&](BoxLoop &one) { return isWorth(one.loop); }))
      return {};
    ProgramPlan program = fit(share(loops));
    return program.isPair && hasShortLoops(loops) ? ProgramPlan() : program;
  }

private:
  bool isPossible(scf::ForOp loop, ArrayRef<AheadLoad> loads) {
    Block &body = function.getBody().front();
    ProgramSlice slice(body);
    auto canBeCopied = [&](const AheadLoad &ahead) {
      return ahead.box && !ahead.isAfterWrites && ahead.isMatrix &&
             isReadByProducts(ahead) && slice.addAround(ahead.load) &&
             slice.addValues(getScalars(ahead.load));
    };
    return HandOn::isPossible(loop, &body) &&
           llvm::all_of(loads, canBeCopied) && canComeFirst(loads);
  }

  /// True if the places of all boxes can be computed before the first product
  /// that reads one: it is where the copies of a group are asked for.
  static bool canComeFirst(ArrayRef<AheadLoad> loads) {
    Operation *first = nullptr;
    for (const AheadLoad &ahead : loads)
      for (OpOperand *use :
           findSharedReads(ahead.load->getResult(0), ahead.load->getBlock()))
        if (!first || use->getOwner()->isBeforeInBlock(first))
          first = use->getOwner();
    BackwardSliceOptions options;
    options.omitUsesFromAbove = false;
    options.filter = [&](Operation *op) {
      return op->getBlock() == first->getBlock() && first->isBeforeInBlock(op);
    };
    return llvm::all_of(loads, [&](const AheadLoad &ahead) {
      llvm::SetVector<Operation *> later;
      return succeeded(getBackwardSlice(ahead.load, &later, options)) &&
             llvm::all_of(later, isMemoryEffectFree);
    });
  }

  /// Rings of other loops have room where those of a program are that does not
  /// come to them. What a program may come to beside other loops is one of
  /// them.
  void leaveOutMixed(std::vector<BoxLoop> &loops) {
    for (size_t number = 0; number < loops.size();) {
      scf::ForOp loop = loops[number].loop;
      bool isMixed = llvm::any_of(others, [&](scf::ForOp other) {
        return !areApart(loop, other, function);
      });
      if (!isMixed) {
        ++number;
        continue;
      }
      others.push_back(loop);
      loops.erase(loops.begin() + number);
      number = 0;
    }
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

  bool isAsked(scf::ForOp loop) const {
    bool asked = always;
    for (Operation *op = loop; op != function; op = op->getParentOp())
      asked |= op->hasAttr(kAsked);
    return asked;
  }

  static bool hasAround(scf::ForOp loop) {
    return loop->getParentOfType<LoopLikeOpInterface>() != nullptr;
  }

  /// Loops one behind the other in a program that ends with them, as along the
  /// diagonal of causal attention and before it: while their rings fill and
  /// drain, a second block computes more than a warp that copies saves.
  bool hasShortLoops(ArrayRef<BoxLoop> loops) {
    return llvm::any_of(loops, [&](const BoxLoop &one) {
      return !isAsked(one.loop) && !hasAround(one.loop) &&
             llvm::any_of(loops, [&](const BoxLoop &other) {
               return other.loop != one.loop &&
                      !areApart(one.loop, other.loop, function);
             });
    });
  }

  /// With a loop around, copies for its next turn hide what happens between.
  /// Of several products, one group of warps computes while another does what
  /// tensor cores cannot.
  bool isWorth(scf::ForOp loop) const {
    int64_t dots = 0, warps = *cta::getNumWarps(function);
    loop.walk([&](cta::DotOp) { ++dots; });
    bool hasOthers = dots > 1 && warps > GpuTarget::kWarpgroupWarps;
    return isAsked(loop) ||
           ((hasAround(loop) || hasOthers) && warps <= kMostUsualWarps);
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
    bool hasRoom = 2 * bytes <= cta::getTarget(function).getSharedBytes();
    program.isAlone = !hasRoom || countSums() > kMostSumsOfTwo;
    program.isPair = hasRoom && countSumsAndOperands() <= kMostOfPlainTwo;
    return program;
  }

  /// The most registers of a thread that results of a loop's products take.
  int64_t countSums() {
    return countMost([](scf::ForOp, cta::DotOp dot) {
      return cta::getLayout(dot.getType()).getNumRegisters();
    });
  }

  /// The same with the left operands that a turn computes.
  int64_t countSumsAndOperands() {
    return countMost([](scf::ForOp loop, cta::DotOp dot) {
      int64_t sums = cta::getLayout(dot.getType()).getNumRegisters();
      auto tile = dyn_cast<RankedTensorType>(dot.getA().getType());
      if (!tile || loop.isDefinedOutsideOfLoop(dot.getA()))
        return sums;
      return sums + cta::getThreadBytes(tile) / 4;
    });
  }

  /// The most registers that the products of a loop take together.
  int64_t
  countMost(llvm::function_ref<int64_t(scf::ForOp, cta::DotOp)> countOf) {
    int64_t most = 0;
    function.walk([&](scf::ForOp loop) {
      int64_t count = 0;
      for (auto dot : loop.getOps<cta::DotOp>())
        count += countOf(loop, dot);
      most = std::max(most, count);
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
  /// With more of results and operands, these need more than the 128 that they
  /// have if nobody copies for them.
  static constexpr int64_t kMostOfPlainTwo = 112;

  func::FuncOp function;
  const DataFlowSolver &solver;
  TensorBoxAnalysis boxes;
  int64_t numStages;
  bool always;
  /// Loops that copy otherwise.
  SmallVector<scf::ForOp> others;
};

} // namespace

ProgramPlan triton_shared::planSpecialization(func::FuncOp function,
                                              const DataFlowSolver &solver,
                                              unsigned numStages, bool always) {
  return FunctionPlan(function, solver, numStages, always).find();
}
