//===- AllocateShared.cpp - Where exchanges happen, and when --------------===//
//
// Exchanges that follow one another have places apart. One that follows another
// needs no barrier then: the barrier inside of it has everyone past the reads
// of the one before. A barrier is needed where the same place may still be
// read.
//
//===----------------------------------------------------------------------===//

#include "SharedLimit.h"
#include "SharedMemory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Conversion/LinalgToGpu.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAALLOCATESHARED
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// Tiles begin where the widest access may.
static constexpr int64_t kAlignment = GpuTarget::kBytesPerAccess;
/// Buffers begin at the first bank.
static constexpr int64_t kBufferAlignment = 128;

int64_t triton_shared::getSharedBytes(Operation *op) {
  auto ofTile = [&](Value tile) {
    return SharedTile(op, cta::getTile(tile)).getBytes();
  };
  return TypeSwitch<Operation *, int64_t>(op)
      .Case<cta::AllocOp>([](cta::AllocOp buffer) {
        cta::BufferType type = buffer.getBuffer().getType();
        return type.getSlots() * type.getSlotBytes();
      })
      .Case<cta::ConvertLayoutOp>(getConvertSharedBytes)
      .Case<cta::LookupOp>(
          [&](cta::LookupOp lookup) { return ofTile(lookup.getSource()); })
      .Case<cta::ExtractOp>([&](cta::ExtractOp extract) -> int64_t {
        RankedTensorType type = cta::getTile(extract.getSource());
        return type.getNumElements() == 1 ? 0 : ofTile(extract.getSource());
      })
      .Case<cta::HistogramOp>([&](cta::HistogramOp histogram) {
        return ofTile(histogram.getResult());
      })
      .Case<cta::ReduceOp>(getReduceSharedBytes)
      .Case<cta::ScanOp>(getScanSharedBytes)
      .Case<cta::DotOp>(getDotSharedBytes)
      .Case<tts::AtomicRMWOp, tts::AtomicCASOp, tts::AtomicPollOp>(
          [](Operation *atomic) { return getAtomicSharedBytes(atomic); })
      .Default(int64_t(0));
}

namespace {

/// A part of shared memory and when it is needed: operations by their number.
struct Place {
  Operation *op;
  int64_t bytes;
  size_t first, last;
  int64_t offset = 0;

  bool isNeededWith(const Place &other) const {
    return first <= other.last && other.first <= last;
  }
  bool overlaps(const Place &other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

/// What other threads may still be doing at a place.
struct PendingAccess {
  const Place *place;
  bool isWrite;

  bool operator==(const PendingAccess &other) const {
    return place == other.place && isWrite == other.isWrite;
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
    places = findPlaces(function);
    int64_t bytes = assignOffsets(places);
    Builder builder(&getContext());
    placeOf.clear();
    for (const Place &place : places) {
      placeOf[place.op] = &place;
      place.op->setAttr(kSharedOffset, builder.getI64IntegerAttr(place.offset));
    }
    function->setAttr(cta::kShared, builder.getI64IntegerAttr(bytes));
    PendingAccesses none;
    insertBarriers(function.getBody().front(), none);
  }

  //===--------------------------------------------------------------------===//
  // Places
  //===--------------------------------------------------------------------===//

  /// The last operation, by its number, that `buffer` is needed for: a loop
  /// that uses it does until its end.
  static size_t findLastUse(cta::AllocOp buffer,
                            const DenseMap<Operation *, size_t> &ends) {
    size_t last = ends.lookup(buffer);
    for (Operation *user : buffer.getBuffer().getUsers())
      last = std::max(
          last, ends.lookup(buffer->getBlock()->findAncestorOpInBlock(*user)));
    return last;
  }

  static SmallVector<Place> findPlaces(func::FuncOp function) {
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
        found.push_back({op, llvm::alignTo(bytes, getAlignment(op))});
    });
    SmallVector<Place> places;
    Place *exchange = nullptr;
    places.reserve(found.size());
    for (auto [op, bytes] : found) {
      auto buffer = dyn_cast<cta::AllocOp>(op);
      size_t begin = begins.lookup(op);
      size_t last = buffer ? findLastUse(buffer, ends) : begin;
      places.push_back({op, bytes, begin, last});
      if (buffer)
        continue;
      // Neighbours do not share, so that the second need not wait.
      if (exchange)
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
        place->offset = llvm::alignTo(other->offset + other->bytes,
                                      getAlignment(place->op));
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

  static int64_t getAlignment(Operation *op) {
    return isa<cta::AllocOp>(op) ? kBufferAlignment : kAlignment;
  }

  //===--------------------------------------------------------------------===//
  // Barriers
  //===--------------------------------------------------------------------===//

  /// The place that `op` reads or writes, if any, and which of them.
  std::optional<PendingAccess> getAccess(Operation &op) const {
    auto of = [&](Value buffer) {
      return placeOf.lookup(buffer.getDefiningOp());
    };
    return TypeSwitch<Operation *, std::optional<PendingAccess>>(&op)
        .Case<cta::AllocOp>([](auto) { return std::nullopt; })
        .Case<cta::ReadOp>([&](cta::ReadOp read) {
          return PendingAccess{of(read.getBuffer()), /*isWrite=*/false};
        })
        .Case<cta::WriteOp, cta::CopyOp>([&](auto write) {
          return PendingAccess{of(write.getBuffer()), /*isWrite=*/true};
        })
        .Default([&](Operation *op) -> std::optional<PendingAccess> {
          if (const Place *place = placeOf.lookup(op))
            return PendingAccess{place, /*isWrite=*/true};
          return std::nullopt;
        });
  }

  static bool needsBarrier(const PendingAccess &access,
                           const PendingAccesses &pending) {
    return llvm::any_of(pending, [&](const PendingAccess &earlier) {
      return (access.isWrite || earlier.isWrite) &&
             access.place->overlaps(*earlier.place);
    });
  }

  static void add(PendingAccesses &pending, PendingAccess access) {
    if (!llvm::is_contained(pending, access))
      pending.push_back(access);
  }

  /// Follows `block` from the state at its begin to that at its end.
  void insertBarriers(Block &block, PendingAccesses &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // One that the program asks for, or of an earlier turn of a loop.
      if (isa<gpu::BarrierOp, cta::WaitOp>(op))
        pending.clear();
      if (op.getNumRegions() &&
          !isa<cta::ReduceOp, cta::ScanOp, cta::CopyOp>(op))
        insertBarriersInRegions(op, pending);
      std::optional<PendingAccess> access = getAccess(op);
      if (!access)
        continue;
      if (needsBarrier(*access, pending)) {
        OpBuilder builder(&op);
        gpu::BarrierOp::create(builder, op.getLoc());
        pending.clear();
      }
      finish(op, *access, pending);
    }
  }

  /// What is pending after `op`, which does `access`.
  static void finish(Operation &op, const PendingAccess &access,
                     PendingAccesses &pending) {
    // Its data is there after a wait, which is a barrier.
    if (isa<cta::CopyOp>(op))
      return;
    if (isa<cta::ReadOp, cta::WriteOp>(op))
      return add(pending, access);
    // An exchange waits between writing and reading.
    pending.assign({{access.place, /*isWrite=*/false}});
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
