//===- SharedLimit.h - More shared memory than there is ---------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_SHAREDLIMIT_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_SHAREDLIMIT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::triton_shared {

/// Fails if `function`, whose exchanges have their places, needs more bytes
/// than a block of its GPU has; the error names those that need most.
LogicalResult checkSharedLimit(func::FuncOp function);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_SHAREDLIMIT_H
