//===- Unsupported.h - What the pass cannot lower ---------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_UNSUPPORTED_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_UNSUPPORTED_H

#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {

/// Fails, with an error on each op, if there are ops under `root` that have no
/// meaning outside of one kind of GPU, but for assembly that is to be kept, or
/// no known meaning at all.
LogicalResult reportUnsupported(Operation *root, bool keepsAssembly);

/// Fails, with an error on each op, if ops of Triton are left under `root` that
/// are not to be kept.
LogicalResult reportLeftovers(Operation *root,
                              function_ref<bool(Operation *)> isKept);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_UNSUPPORTED_H
