//===- TileFacts.h - Which thread holds which elements ----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_DRIVER_TILEFACTS_H
#define TRITON_SHARED_LIB_DRIVER_TILEFACTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace mlir::triton_shared {

/// What a report says about the tiles of a module.
class TileFacts {
public:
  explicit TileFacts(ModuleOp module);

  /// Adds to `facts` of an operation on tiles: "tiles", of each result its
  /// shape, element type and layout (for each bit of the number of a register,
  /// lane and warp, the coordinates that it stands for); "shared", of each way
  /// through shared memory how many wavefronts a warp or a copy of a box takes,
  /// and how many it would without bank conflicts.
  void describe(Operation *op, llvm::json::Object &facts) const;

private:
  llvm::json::Array describeShared(Operation *op) const;

  /// How many elements a thread may copy at once.
  DenseMap<Operation *, unsigned> copied;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_DRIVER_TILEFACTS_H
