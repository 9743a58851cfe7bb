//===- MemorySpaces.h - Which memory a kernel may use -----------*- C++ -*-===//

#ifndef TRITON_SHARED_TRANSFORMS_MEMORYSPACES_H
#define TRITON_SHARED_TRANSFORMS_MEMORYSPACES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::triton_shared {

/// Reports memory of `function` that is not the memory of all tensors, which
/// neither the CPU's nor the GPU's way to machine code knows.
LogicalResult checkMemorySpaces(func::FuncOp function);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_MEMORYSPACES_H
