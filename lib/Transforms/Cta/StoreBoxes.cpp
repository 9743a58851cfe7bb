//===- StoreBoxes.cpp - Stores by the copy engine -------------------------===//
//
// Threads that hold parts of a tile write short pieces of rows; the copy engine
// writes whole lines, from shared memory, and leaves out what lies outside of
// the tensor. In a loop beside a warp that copies for the next turn, the store
// of a turn goes on until the next one writes its buffer.
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASTOREBOXES
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// The stores of tiles of two dimensions to what no other access of `function`
/// may touch. Arguments are apart from each other; a computed address may be
/// anywhere.
static SmallVector<tts::StoreOp> findLoneStores(func::FuncOp function) {
  SmallVector<tts::StoreOp> stores;
  DenseMap<Value, unsigned> accesses;
  unsigned computed = 0;
  function.walk([&](tts::AccessOpInterface access) {
    ++accesses[access.getBase()];
    computed += !isa<BlockArgument>(access.getBase());
    auto store = dyn_cast<tts::StoreOp>(*access);
    auto tile = store ? dyn_cast<RankedTensorType>(store.getValue().getType())
                      : nullptr;
    if (tile && tile.getRank() == 2)
      stores.push_back(store);
  });
  llvm::erase_if(stores, [&](tts::StoreOp store) {
    unsigned own = isa<BlockArgument>(store.getBase()) ? 0 : 1;
    return accesses[store.getBase()] != 1 || computed != own;
  });
  return stores;
}

/// The tile before it was moved between threads only to be stored.
static Value findUnmoved(Value tile) {
  auto convert = tile.getDefiningOp<cta::ConvertLayoutOp>();
  return convert && convert->hasOneUse() ? convert.getSource() : tile;
}

namespace {

/// A store that the copy engine does.
struct BoxStore {
  tts::StoreOp store;
  TensorBox box;
  cta::SharedLayout layout;
};

struct CtaStoreBoxes : triton_shared::impl::CtaStoreBoxesBase<CtaStoreBoxes> {
  void runOnOperation() override {
    SmallVector<std::pair<func::FuncOp, SmallVector<tts::StoreOp>>> candidates;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (cta::getNumWarps(function) && cta::getTarget(function).hasTma())
        if (SmallVector<tts::StoreOp> stores = findLoneStores(function);
            !stores.empty())
          candidates.emplace_back(function, std::move(stores));
    if (candidates.empty())
      return;
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return signalPassFailure();
    for (auto &[function, stores] : candidates) {
      TensorBoxAnalysis boxes(function, solver);
      SmallVector<BoxStore> found;
      for (tts::StoreOp store : stores)
        if (std::optional<BoxStore> box = plan(store, boxes))
          found.push_back(*box);
      for (BoxStore &box : found)
        storeBox(box);
      function.walk([&](cta::SpecializeOp parted) { endStores(parted); });
    }
  }

private:
  /// The operation beside whose other warp a loop has `store`, if any.
  static cta::SpecializeOp findParted(tts::StoreOp store) {
    auto parted = store->getParentOfType<cta::SpecializeOp>();
    auto loop = store->getParentOfType<LoopLikeOpInterface>();
    return parted && loop && parted->isAncestor(loop) ? parted : nullptr;
  }

  /// No thread ends before its stores have been read.
  static void endStores(cta::SpecializeOp parted) {
    WalkResult result = parted.getConsumers().walk([](cta::StoreBoxOp store) {
      return store.getGoesOn() ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (!result.wasInterrupted())
      return;
    OpBuilder builder(parted.getConsumers().front().getTerminator());
    cta::WaitStoresOp::create(builder, parted.getLoc());
  }

  static std::optional<BoxStore> plan(tts::StoreOp store,
                                      TensorBoxAnalysis &boxes) {
    auto tile = cast<RankedTensorType>(store.getValue().getType());
    TensorBoxAnalysis::Result result = boxes.analyze(store);
    auto *box = std::get_if<TensorBox>(&result);
    if (!box)
      return std::nullopt;
    std::optional<cta::SharedLayout> layout =
        cta::findLinesLayout(tile, box->dimensions.back().ofBlock);
    if (!layout)
      return std::nullopt;
    return BoxStore{store, *box, *layout};
  }

  static void storeBox(BoxStore &found) {
    OpBuilder builder(found.store);
    Location loc = found.store.getLoc();
    Value tile = findUnmoved(found.store.getValue());
    auto type = cast<RankedTensorType>(tile.getType());
    cta::SpecializeOp parted = findParted(found.store);
    // What goes on needs its place all the time.
    OpBuilder place(parted ? parted.getOperation() : found.store);
    auto buffer = cta::AllocOp::create(
        place, loc,
        cta::BufferType::get(
            builder.getContext(), /*slots=*/1, type.getShape(),
            type.getElementType(),
            cta::SharedLayoutAttr::get(builder.getContext(), found.layout)),
        cta::kMatrixAlignment);
    Value slot = arith::ConstantIntOp::create(builder, loc, 0, 32);
    if (parted) {
      cta::WaitStoresOp::create(builder, loc);
      gpu::BarrierOp::create(builder, loc);
    }
    cta::WriteOp::create(builder, loc, tile, buffer, slot, /*fenced=*/true);
    TensorMap map = addTensorMap(found.box, buffer);
    SmallVector<Value> start =
        createBoxStart(builder, loc, found.store, found.box, IRMapping());
    cta::StoreBoxOp::create(builder, loc, buffer, slot, map.parameter, start,
                            map.dims, map.piece, /*goesOn=*/bool(parted));
    Value moved = found.store.getValue();
    found.store.erase();
    if (moved != tile)
      moved.getDefiningOp()->erase();
  }
};

} // namespace
