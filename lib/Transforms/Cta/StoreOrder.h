//===- StoreOrder.h - What waits for stores by the copy engine --*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_STOREORDER_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_STOREORDER_H

#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// Lets `store` have written its tensor before anything behind it begins that
/// may read it, with all threads.
void waitUntilWritten(cta::StoreBoxOp store);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_STOREORDER_H
