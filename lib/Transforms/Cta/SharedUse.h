//===- SharedUse.h - Who needs shared memory, and who waits -----*- C++ -*-===//
//
// Operations of `cta` say so themselves; accesses of memory and barriers belong
// to other dialects.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_SHAREDUSE_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_SHAREDUSE_H

#include "mlir/IR/Operation.h"

namespace mlir::triton_shared {

/// How many bytes of shared memory `op` needs; 0 if none.
int64_t getSharedBytes(Operation *op);

/// Who uses `buffer`, as it is or in another order.
SmallVector<Operation *> findBufferUsers(Value buffer);

/// True if all threads of a program wait for each other at `op`.
bool isBarrier(Operation *op);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_SHAREDUSE_H
