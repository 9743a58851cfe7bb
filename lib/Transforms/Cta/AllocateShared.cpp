//===- AllocateShared.cpp - Where exchanges happen, and when --------------===//
//
// Exchanges that follow one another have places apart. One that follows another
// needs no barrier then: the barrier inside of it has everyone past the reads
// of the one before. A barrier is needed where the same place may still be
// read: before the operation, or inside of it if it computes first, so that
// what it computes from needs no registers across the barrier. Where there is
// no room for places apart, exchanges share one; where there is none for a tile
// that is converted, it goes in rounds.
//
//===----------------------------------------------------------------------===//

#include "Branches.h"
#include "SharedLimit.h"
#include "SharedUse.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAALLOCATESHARED
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// Tiles begin where the widest access may.
static constexpr int64_t kAlignment = GpuTarget::kBytesPerAccess;

namespace {

/// A part of shared memory and when it is needed: operations by their number.
struct Place {
  Operation *op;
  /// Null if the place is needed while `op` runs.
  Value buffer;
  int64_t bytes;
  size_t first, last;
  /// Where alone it is needed between `first` and `last`: a branch that runs
  /// once at most. Null if that is not so.
  Region *branch = nullptr;
  int64_t offset = 0;

  int64_t getAlignment() const {
    auto alloc = dyn_cast<cta::AllocOp>(op);
    return alloc ? alloc.getAlignment() : kAlignment;
  }
  bool isNeededWith(const Place &other) const {
    return first <= other.last && other.first <= last && !isApart(other) &&
           !other.isApart(*this);
  }
  /// True if the program goes either to where this is needed or to `other`.
  bool isApart(const Place &other) const {
    return branch && branch->getParentOp()->isProperAncestor(other.op) &&
           !branch->isAncestor(other.op->getParentRegion());
  }
  bool overlaps(const Place &other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

/// What other threads may still be doing at a place.
struct PendingAccess {
  const Place *place;
  bool isWrite;
  /// It goes on after its operation: who uses the same buffer waits for it.
  bool goesOn = false;
  /// Nobody has waited for it yet, so that it also goes on after barriers.
  bool isInFlight = goesOn;

  bool operator==(const PendingAccess &other) const {
    return place == other.place && isWrite == other.isWrite &&
           goesOn == other.goesOn && isInFlight == other.isInFlight;
  }
};

using PendingAccesses = SmallVector<PendingAccess>;

struct CtaAllocateShared
    : triton_shared::impl::CtaAllocateSharedBase<CtaAllocateShared> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!cta::getNumWarps(function))
        continue;
      allocate(function);
      if (failed(checkSharedLimit(function)))
        return signalPassFailure();
    }
  }

private:
  void allocate(func::FuncOp function) {
    places = findPlaces(function, /*keepsApart=*/true);
    int64_t bytes = assignOffsets(places);
    int64_t room = cta::getTarget(function).getSharedBytes();
    if (bytes > room) {
      do {
        places = findPlaces(function, /*keepsApart=*/false);
        bytes = assignOffsets(places);
      } while (bytes > room && halveLargest(function));
    }
    Builder builder(&getContext());
    placeOf.clear();
    for (const Place &place : places) {
      placeOf[place.op] = &place;
      place.op->setAttr(cta::kSharedOffset,
                        builder.getI64IntegerAttr(place.offset));
    }
    function->setAttr(cta::kShared, builder.getI64IntegerAttr(bytes));
    PendingAccesses none;
    insertBarriers(function.getBody().front(), none);
  }

  /// Has the conversion that takes the most, of those that can do with less,
  /// take half of it. False if there is none.
  static bool halveLargest(func::FuncOp function) {
    cta::ConvertLayoutOp largest;
    int64_t most = 0;
    function.walk([&](cta::ConvertLayoutOp op) {
      int64_t bytes = op.getSharedBytes();
      if (bytes <= most || !cta::canDoubleRounds(op))
        return;
      most = bytes;
      largest = op;
    });
    if (largest)
      cta::doubleRounds(largest);
    return largest != nullptr;
  }

  //===--------------------------------------------------------------------===//
  // Places
  //===--------------------------------------------------------------------===//

  /// The buffer or barriers that `op` makes room for; null if it makes none.
  static Value getBuffer(Operation *op) {
    return hasEffect<MemoryEffects::Allocate>(op) ? op->getResult(0) : Value();
  }

  /// Adds who waits for `dot`, if it goes on: until then it reads operands.
  static void addWaits(cta::DotOp dot, SmallVectorImpl<Operation *> &users) {
    if (!dot.getGoesOn())
      return;
    for (Operation *user : dot.getResult().getUsers()) {
      users.push_back(user);
      if (auto next = dyn_cast<cta::DotOp>(user))
        addWaits(next, users);
    }
  }

  /// Who uses `buffer`, and who waits for those that go on.
  static SmallVector<Operation *> findUsers(Value buffer) {
    SmallVector<Operation *> users;
    for (Operation *user : findBufferUsers(buffer)) {
      users.push_back(user);
      if (auto dot = dyn_cast<cta::DotOp>(user))
        addWaits(dot, users);
    }
    return users;
  }

  /// The last operation, by its number, that `buffer` is needed for: a loop
  /// that uses it does until its end.
  static size_t findLastUse(Value buffer,
                            const DenseMap<Operation *, size_t> &ends) {
    size_t last = ends.lookup(buffer.getDefiningOp());
    for (Operation *user : findUsers(buffer))
      last = std::max(
          last,
          ends.lookup(buffer.getParentBlock()->findAncestorOpInBlock(*user)));
    return last;
  }

  /// Where alone a buffer is needed that another warp fills: that one does so
  /// when the others come there.
  static Region *findOnlyBranch(Value buffer) {
    Region *branch = nullptr;
    for (Operation *user : findUsers(buffer)) {
      auto parted = user->getParentOfType<cta::SpecializeOp>();
      if (!parted || parted->getParentOp() != getParentOp(buffer))
        return nullptr;
      if (parted.getProducer().isAncestor(user->getParentRegion()))
        continue;
      Region *outermost = findOutermostBranch(user, parted);
      if (!outermost || (branch && branch != outermost))
        return nullptr;
      branch = outermost;
    }
    return branch;
  }

  static Operation *getParentOp(Value buffer) {
    return buffer.getDefiningOp()->getParentOp();
  }

  static SmallVector<Place> findPlaces(func::FuncOp function, bool keepsApart) {
    SmallVector<std::pair<Operation *, int64_t>> found;
    DenseMap<Operation *, size_t> begins, ends;
    size_t number = 0;
    function.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { begins[op] = number++; });
    function.walk([&](Operation *op) {
      size_t end = begins.lookup(op);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Operation &inner : block)
            end = std::max(end, ends.lookup(&inner));
      ends[op] = end;
    });
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (int64_t bytes = getSharedBytes(op))
        found.push_back({op, bytes});
    });
    SmallVector<Place> places;
    Place *exchange = nullptr;
    places.reserve(found.size());
    for (auto [op, bytes] : found) {
      Value buffer = getBuffer(op);
      size_t begin = begins.lookup(op);
      size_t last = buffer ? findLastUse(buffer, ends) : begin;
      places.push_back({op, buffer, bytes, begin, last});
      places.back().bytes = llvm::alignTo(bytes, places.back().getAlignment());
      if (isa<cta::AllocOp>(op))
        places.back().branch = findOnlyBranch(buffer);
      if (buffer)
        continue;
      // Neighbours do not share, so that the second need not wait.
      if (keepsApart && exchange && !areApart(exchange->op, op, function))
        exchange->last = begin;
      exchange = &places.back();
    }
    return places;
  }

  /// The largest first, each as low as those that it meets let it. Gives the
  /// bytes that all need.
  static int64_t assignOffsets(MutableArrayRef<Place> places) {
    SmallVector<Place *> order =
        llvm::map_to_vector(places, [](Place &place) { return &place; });
    llvm::sort(order, [](const Place *a, const Place *b) {
      return std::pair(-a->bytes, a->first) < std::pair(-b->bytes, b->first);
    });
    int64_t bytes = 0;
    SmallVector<const Place *> placed;
    for (Place *place : order) {
      while (const Place *other = findInTheWay(*place, placed))
        place->offset =
            llvm::alignTo(other->offset + other->bytes, place->getAlignment());
      placed.push_back(place);
      bytes = std::max(bytes, place->offset + place->bytes);
    }
    return bytes;
  }

  static const Place *findInTheWay(const Place &place,
                                   ArrayRef<const Place *> placed) {
    for (const Place *other : placed)
      if (place.isNeededWith(*other) && place.overlaps(*other))
        return other;
    return nullptr;
  }

  //===--------------------------------------------------------------------===//
  // Barriers
  //===--------------------------------------------------------------------===//

  /// What an operation does with the place of a buffer.
  PendingAccess getAccess(const cta::BufferUse &use) const {
    return {placeOf.lookup(use.buffer.getDefiningOp()), use.isWrite,
            use.goesOn};
  }

  /// The place that `op` writes and reads while it runs, if any.
  const Place *findExchange(Operation *op) const {
    const Place *place = placeOf.lookup(op);
    return place && !place->buffer ? place : nullptr;
  }

  /// True if who fills the slots of a buffer sees to it that no product in
  /// flight reads the one that comes next: copies that go on wait themselves,
  /// and what is written while products go on has a slot for each turn.
  static bool isOrdered(const PendingAccess &earlier,
                        const PendingAccess &access) {
    return earlier.place == access.place && earlier.goesOn &&
           (earlier.isInFlight || access.goesOn);
  }

  static bool needsBarrier(const PendingAccess &access,
                           const PendingAccesses &pending) {
    return llvm::any_of(pending, [&](const PendingAccess &earlier) {
      return (access.isWrite || earlier.isWrite) &&
             access.place->overlaps(*earlier.place) &&
             !isOrdered(earlier, access);
    });
  }

  /// All threads have come to a barrier.
  static void meet(PendingAccesses &pending) {
    llvm::erase_if(pending, [](const PendingAccess &access) {
      return !access.isInFlight;
    });
  }

  /// Each group of warps has waited for its own products.
  static void land(PendingAccesses &pending) {
    PendingAccesses all = std::exchange(pending, {});
    for (PendingAccess access : all) {
      access.isInFlight = false;
      add(pending, access);
    }
  }

  static void add(PendingAccesses &pending, PendingAccess access) {
    if (!llvm::is_contained(pending, access))
      pending.push_back(access);
  }

  /// Lets threads meet before `op` accesses shared memory.
  static void createBarrier(Operation &op) {
    OpBuilder builder(&op);
    auto tiles = dyn_cast<cta::CtaOpInterface>(op);
    if (tiles && tiles.computesBeforeExchange())
      op.setAttr(cta::kSharedBarrier, builder.getUnitAttr());
    else
      gpu::BarrierOp::create(builder, op.getLoc());
  }

  /// Follows `block` from the state at its begin to that at its end.
  void insertBarriers(Block &block, PendingAccesses &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // One that the program asks for, or of an earlier turn of a loop.
      if (isBarrier(&op))
        meet(pending);
      if (auto wait = dyn_cast<cta::WaitDotOp>(op); wait && !wait.getPending())
        land(pending);
      auto tiles = dyn_cast<cta::CtaOpInterface>(op);
      // Regions of `cta` are what happens to elements. Who copies for others
      // meets them at barriers of its own.
      if (auto parted = dyn_cast<cta::SpecializeOp>(op))
        insertBarriers(parted.getConsumers().front(), pending);
      else if (op.getNumRegions() && !tiles)
        insertBarriersInRegions(op, pending);
      SmallVector<cta::BufferUse> uses;
      if (tiles)
        uses = tiles.getBufferUses();
      const Place *exchange = findExchange(&op);
      bool mustWait = exchange && needsBarrier({exchange, true}, pending);
      for (const cta::BufferUse &use : uses)
        mustWait |= needsBarrier(getAccess(use), pending);
      if (mustWait) {
        createBarrier(op);
        meet(pending);
      }
      // An exchange waits between writing and reading. Buffers are read behind
      // that, too.
      if (exchange) {
        meet(pending);
        add(pending, {exchange, /*isWrite=*/false});
      }
      for (const cta::BufferUse &use : uses)
        // Copies that go on end with a wait, which is a barrier.
        if (!use.goesOn || !use.isWrite)
          add(pending, getAccess(use));
    }
  }

  /// A region may run not at all and, but for that of a branch, after itself.
  void insertBarriersInRegions(Operation &op, PendingAccesses &pending) {
    size_t before;
    do {
      before = pending.size();
      PendingAccesses after = pending;
      for (Region &region : op.getRegions())
        for (Block &block : region) {
          PendingAccesses inside = pending;
          insertBarriers(block, inside);
          for (PendingAccess access : inside)
            add(after, access);
        }
      pending = after;
    } while (!isa<scf::IfOp>(op) && pending.size() != before);
  }

  SmallVector<Place> places;
  DenseMap<Operation *, const Place *> placeOf;
};

} // namespace
