//===- Unsupported.h - What the pass cannot lower ---------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_UNSUPPORTED_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_UNSUPPORTED_H

#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {

/// True for the assembly that up to Triton 3.8 stands for
/// `tt.grid_dependency_wait` and `tt.grid_dependency_launch_dependents`. It is
/// the only assembly that means nothing here.
bool isGridDependency(triton::ElementwiseInlineAsmOp op);

/// Fails, with an error on each op, if there are ops under `root` that have no
/// meaning outside of one kind of GPU or no known meaning at all.
LogicalResult reportUnsupported(Operation *root);

/// Fails, with an error on each op, if ops or values of Triton are left under
/// `root`.
LogicalResult reportLeftovers(Operation *root);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_UNSUPPORTED_H
