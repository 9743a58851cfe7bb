//===- TileFacts.h - Which thread holds which elements ----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_DRIVER_TILEFACTS_H
#define TRITON_SHARED_LIB_DRIVER_TILEFACTS_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/JSON.h"

namespace mlir::triton_shared {

/// Adds to `facts` what a report says about an operation on tiles: "tiles", of
/// each result its shape, element type and layout (for each bit of the number
/// of a register, lane and warp, the coordinates that it stands for); "shared",
/// of each way through shared memory how many wavefronts a warp takes, and how
/// many it would without bank conflicts.
void describeTiles(Operation *op, llvm::json::Object &facts);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_DRIVER_TILEFACTS_H
