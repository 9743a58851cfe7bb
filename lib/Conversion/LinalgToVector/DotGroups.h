//===- DotGroups.h - Dots that add to one result ----------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTGROUPS_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTGROUPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::triton_shared {

/// Dots of one block and one size that add to the same memory, in order. All of
/// them may be computed where the last one is.
using DotGroup = SmallVector<linalg::GenericOp>;

/// The `dots` of a function, in order, in groups as large as can be; one for
/// which `mayWait` does not hold adds to no dot before it.
SmallVector<DotGroup> groupDots(ArrayRef<linalg::GenericOp> dots,
                                function_ref<bool(linalg::GenericOp)> mayWait);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTGROUPS_H
