//===- RowMajorBlock.h - Blocks that lie in memory row by row ---*- C++ -*-===//

#ifndef TRITON_SHARED_TRANSFORMS_VALIDATION_ROWMAJORBLOCK_H
#define TRITON_SHARED_TRANSFORMS_VALIDATION_ROWMAJORBLOCK_H

#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {

/// The addresses of the elements of a value of type `type`, which begin at the
/// scalar pointer `base` and lie in row-major order: a block of pointers, or
/// `base` itself for a scalar.
Value makeRowMajorPointers(OpBuilder &builder, Location loc, Value base,
                           Type type);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_VALIDATION_ROWMAJORBLOCK_H
