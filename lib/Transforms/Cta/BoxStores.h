//===- BoxStores.h - Stores that the copy engine can do ---------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_BOXSTORES_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_BOXSTORES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "triton-shared/Analysis/TensorBox.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::triton_shared {

/// A store that the copy engine can do.
struct BoxStore {
  tts::StoreOp store;
  TensorBox box;
  /// Other accesses of the program may touch what it writes: those before have
  /// happened when it begins, and it has when those after begin.
  bool isOrdered = false;

  Value getValue() const { return tts::StoreOp(store).getValue(); }
  /// The dimension of the tile whose elements are neighbours in memory.
  unsigned getAlong() const { return box.dimensions.back().ofBlock; }
};

/// True if `function` stores a tile that a box could be.
bool mayHaveBoxStores(func::FuncOp function);

/// Those of `function`, in the order of each tensor. If several write one
/// tensor, then apart from each other.
SmallVector<BoxStore> findBoxStores(func::FuncOp function,
                                    TensorBoxAnalysis &boxes);

/// The tile before it was moved between threads only to be stored.
Value findUnmoved(Value tile);

/// So many slots are enough for parts to be copied while the next is written.
inline constexpr int64_t kStageSlots = 2;

/// The sizes of the parts of the tile, lines of the copy engine, that threads
/// can write one after the other; nothing if they hold different elements of
/// these.
std::optional<SmallVector<int64_t>> findStageParts(const BoxStore &found);

/// True if parts of both, which have such, go through one ring.
bool canShareStage(const BoxStore &a, const BoxStore &b);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_BOXSTORES_H
