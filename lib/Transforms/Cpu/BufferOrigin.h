//===- BufferOrigin.h - Whose memory a memref shows -------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CPU_BUFFERORIGIN_H
#define TRITON_SHARED_LIB_TRANSFORMS_CPU_BUFFERORIGIN_H

#include "mlir/IR/Operation.h"

namespace mlir::triton_shared {

/// True if `memref` shows, through casts and subviews, a buffer that the kernel
/// itself has allocated.
bool isOwnBuffer(Value memref);

/// True unless `op`, with all that is nested in it, is known to write to no
/// other memory than buffers of the kernel.
bool mayWriteOutside(Operation *op);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CPU_BUFFERORIGIN_H
