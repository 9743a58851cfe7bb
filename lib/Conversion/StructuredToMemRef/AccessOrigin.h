//===- AccessOrigin.h - Which tensor an access is meant for -----*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_ACCESSORIGIN_H
#define TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_ACCESSORIGIN_H

#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::triton_shared {

/// The written parameter that `base` is, perhaps seen as elements of another
/// type; null if it is something else.
BlockArgument findParameter(Value base, unsigned numWritten);

/// The written parameter whose address the place of `op` is computed of, as in
/// `(bytes + 34 * i).to(halves)`; null if there is none, or for some elements
/// or in some turns it may be another one, or one that nobody knows.
BlockArgument findOrigin(tts::AccessOpInterface op, unsigned numWritten);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_ACCESSORIGIN_H
