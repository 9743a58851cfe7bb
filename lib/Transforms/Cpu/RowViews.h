//===- RowViews.h - Blocks whose rows lie in one piece ----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CPU_ROWVIEWS_H
#define TRITON_SHARED_LIB_TRANSFORMS_CPU_ROWVIEWS_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::triton_shared {

/// The type that shows any block of this shape, in memory or in a buffer, whose
/// rows lie in one piece; null if those of `type` do not.
MemRefType getRowsAnywhere(MemRefType type);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CPU_ROWVIEWS_H
