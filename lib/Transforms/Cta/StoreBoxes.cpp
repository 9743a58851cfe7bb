//===- StoreBoxes.cpp - Stores by the copy engine -------------------------===//
//
// Threads that hold parts of a tile write short pieces of rows; the copy engine
// writes whole lines, from shared memory, and leaves out what lies outside of
// the tensor. In a loop beside a warp that copies for the next turn, the store
// of a turn goes on until the next one writes its buffer; what has little room
// goes through a ring of small slots, of which one is copied while threads
// write the next.
//
//===----------------------------------------------------------------------===//

#include "BoxStores.h"
#include "StoreOrder.h"
#include "TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Layout/LayoutParts.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASTOREBOXES
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The operation beside whose other warp a loop has `store`, if any.
cta::SpecializeOp findParted(tts::StoreOp store) {
  auto parted = store->getParentOfType<cta::SpecializeOp>();
  auto loop = store->getParentOfType<LoopLikeOpInterface>();
  return parted && loop && parted->isAncestor(loop) ? parted : nullptr;
}

/// Waits until all copies but the last `pending` ones have read their buffers.
void waitForStores(OpBuilder &builder, Location loc, int64_t pending) {
  cta::WaitStoresOp::create(builder, loc, pending, /*written=*/false);
  gpu::BarrierOp::create(builder, loc);
}

/// The stores of one block, in order.
class BlockStores {
public:
  void add(BoxStore &found) {
    OpBuilder builder(found.store);
    cta::SpecializeOp parted = findParted(found.store);
    // One wait for all that the turn before has begun.
    if (parted && !std::exchange(hasWaited, true))
      waitForStores(builder, found.store.getLoc(), /*pending=*/0);
    Value tile = findUnmoved(found.getValue());
    cta::StoreBoxOp last;
    if (parted && found.store->hasAttr(cta::kInParts) && findStageParts(found))
      last = storeInParts(builder, found, tile, parted);
    else
      last = storeAtOnce(builder, found, tile, parted);
    Value moved = found.getValue();
    found.store.erase();
    if (moved != tile)
      moved.getDefiningOp()->erase();
    if (found.isOrdered)
      waitUntilWritten(last);
  }

private:
  static cta::AllocOp createBuffer(OpBuilder &place, Location loc,
                                   const BoxStore &found, RankedTensorType tile,
                                   int64_t slots) {
    MLIRContext *context = tile.getContext();
    std::optional<cta::SharedLayout> layout =
        cta::findLinesLayout(tile, found.getAlong());
    assert(layout && "was asked before");
    return cta::AllocOp::create(
        place, loc,
        cta::BufferType::get(context, slots, tile.getShape(),
                             tile.getElementType(),
                             cta::SharedLayoutAttr::get(context, *layout)),
        cta::kMatrixAlignment);
  }

  static cta::StoreBoxOp storeAtOnce(OpBuilder &builder, BoxStore &found,
                                     Value tile, cta::SpecializeOp parted) {
    // What goes on needs its place all the time.
    OpBuilder place(parted ? parted.getOperation() : found.store);
    cta::AllocOp buffer = createBuffer(place, found.store.getLoc(), found,
                                       cta::getTile(tile), /*slots=*/1);
    return store(builder, found, tile, buffer, /*number=*/0, /*along=*/0,
                 /*goesOn=*/bool(parted));
  }

  /// The last of the stores.
  cta::StoreBoxOp storeInParts(OpBuilder &builder, BoxStore &found, Value tile,
                               cta::SpecializeOp parted) {
    RankedTensorType type = cta::getTile(tile);
    SmallVector<int64_t> sizes = *findStageParts(found),
                         offsets(type.getRank(), 0);
    auto part = RankedTensorType::get(
        sizes, type.getElementType(),
        cta::LayoutAttr::get(type.getContext(),
                             cta::getPartLayout(cta::getLayout(type), sizes)));
    Location loc = found.store.getLoc();
    if (!ring) {
      OpBuilder place(parted);
      ring = createBuffer(place, loc, found, part, kStageSlots);
    }
    unsigned along = found.getAlong();
    cta::StoreBoxOp last;
    for (int64_t &at = offsets[along]; at < type.getDimSize(along);
         at += sizes[along], ++numParts) {
      // The slot has been read that another part took before.
      if (numParts >= kStageSlots)
        waitForStores(builder, loc, kStageSlots - 1);
      Value slice = cta::SliceOp::create(builder, loc, part, tile, offsets);
      last = store(builder, found, slice, ring, numParts % kStageSlots, at,
                   /*goesOn=*/true);
    }
    return last;
  }

  /// Stores `tile`, which lies so many elements further along the rows of the
  /// box, from slot `number` of `buffer`.
  static cta::StoreBoxOp store(OpBuilder &builder, BoxStore &found, Value tile,
                               cta::AllocOp buffer, int64_t number,
                               int64_t along, bool goesOn) {
    Location loc = found.store.getLoc();
    Value slot = arith::ConstantIntOp::create(builder, loc, number, 32);
    cta::WriteOp::create(builder, loc, tile, buffer, slot, /*fenced=*/true);
    // The barrier that follows lets threads see what is in the buffer.
    if (found.isOrdered)
      cta::PublishWritesOp::create(builder, loc);
    TensorMap map = addTensorMap(found.box, buffer);
    SmallVector<Value> start =
        createBoxStart(builder, loc, found.store, found.box, IRMapping());
    if (along)
      start.back() = arith::AddIOp::create(
          builder, loc, start.back(),
          arith::ConstantIntOp::create(builder, loc, along, 32));
    return cta::StoreBoxOp::create(builder, loc, buffer, slot, map.address,
                                   start, map.dims, map.piece, goesOn);
  }

  bool hasWaited = false;
  /// Of parts, and how many have gone through it in one turn.
  cta::AllocOp ring;
  int64_t numParts = 0;
};

struct CtaStoreBoxes : triton_shared::impl::CtaStoreBoxesBase<CtaStoreBoxes> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (cta::getNumWarps(function) && cta::getTarget(function).hasTma() &&
          mayHaveBoxStores(function))
        functions.push_back(function);
    if (functions.empty())
      return;
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return signalPassFailure();
    for (func::FuncOp function : functions) {
      TensorBoxAnalysis boxes(function, solver);
      DenseMap<Block *, BlockStores> blocks;
      for (BoxStore &found : findBoxStores(function, boxes))
        blocks[found.store->getBlock()].add(found);
      function.walk([&](cta::SpecializeOp parted) { endStores(parted); });
    }
  }

private:
  /// Stores that go on have been read when the loop around them has ended: what
  /// comes then may be in the place of their buffers, and threads may end.
  static void endStores(cta::SpecializeOp parted) {
    SetVector<Operation *> loops;
    parted.getConsumers().walk([&](cta::StoreBoxOp store) {
      if (store.getGoesOn())
        loops.insert(
            parted.getConsumers().front().findAncestorOpInBlock(*store));
    });
    for (Operation *loop : loops) {
      OpBuilder builder(loop->getContext());
      builder.setInsertionPointAfter(loop);
      cta::WaitStoresOp::create(builder, parted.getLoc(), /*pending=*/0,
                                /*written=*/false);
    }
  }
};

} // namespace
