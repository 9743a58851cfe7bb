//===- MemorySpaces.cpp - Which memory a kernel may use -------------------===//
//
// A pointer in an address space of its own is a memref in that memory space.
// Who embeds the middle layer may know such memory; the ways from here to
// machine code do not.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Transforms/MemorySpaces.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// The memory space of a base; null for that of all tensors.
static Attribute getSpace(Value value) {
  auto base = dyn_cast<BaseMemRefType>(value.getType());
  return base ? base.getMemorySpace() : nullptr;
}

LogicalResult triton_shared::checkMemorySpaces(func::FuncOp function) {
  auto check = [&](Value value) {
    Attribute space = getSpace(value);
    if (!space)
      return LogicalResult::success();
    InFlightDiagnostic error = function.emitOpError("uses memory space ")
                               << space
                               << ", for which no machine code is made";
    error.attachNote(value.getLoc()) << "this points there";
    error.attachNote() << "use pointers to global memory, as '!tt.ptr<f32>', "
                          "or go on from '--triton-to-linalg' yourself";
    return LogicalResult(error);
  };
  for (BlockArgument argument : function.getArguments())
    if (failed(check(argument)))
      return failure();
  WalkResult walk = function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (failed(check(result)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
