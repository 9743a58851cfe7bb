//===- SizeChecks.h - Numbers taken for sizes are checked -------*- C++ -*-===//

#ifndef TRITON_SHARED_TRANSFORMS_SIZECHECKS_H
#define TRITON_SHARED_TRANSFORMS_SIZECHECKS_H

#include "mlir/IR/Builders.h"

namespace mlir::triton_shared {

/// Builds what ends a launch with a message unless the i1 holds.
using BuildSizeCheck =
    function_ref<void(OpBuilder &, Location, Value, StringRef)>;

/// Puts such a check behind each number below `root` that was taken for a size
/// (`tts.size`) and must not be negative, and takes the marks away.
void checkMarkedSizes(Operation *root, BuildSizeCheck buildCheck);

/// The same by `tts.assert`.
void checkMarkedSizes(Operation *root);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_SIZECHECKS_H
