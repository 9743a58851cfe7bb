//===- SharedLimit.h - More shared memory than there is ---------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_CTATOGPU_SHAREDLIMIT_H
#define TRITON_SHARED_LIB_CONVERSION_CTATOGPU_SHAREDLIMIT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::triton_shared {

/// Fails if `function`, whose exchanges have their places, needs more than
/// `limit` bytes; the error names those that need most.
LogicalResult checkSharedLimit(func::FuncOp function, int64_t limit);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_CTATOGPU_SHAREDLIMIT_H
