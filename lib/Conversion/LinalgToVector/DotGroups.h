//===- DotGroups.h - Dots that add to one result ----------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTGROUPS_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTGROUPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::triton_shared {

/// Dots of one block and one size that add to the same memory, in order. All of
/// them may be computed where the last one is.
using DotGroup = SmallVector<linalg::GenericOp>;

/// The `dots` of a function, in order, in groups as large as can be; where not
/// `together`, each alone.
SmallVector<DotGroup> groupDots(ArrayRef<linalg::GenericOp> dots,
                                bool together);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTGROUPS_H
