//===- AccessFootprint.h - Where the elements of an access lie --*- C++ -*-===//
//
// One question about a whole block instead of one per element: where is the
// first, and where the last of the elements that it touches.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_ACCESSFOOTPRINT_H
#define TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_ACCESSFOOTPRINT_H

#include "mlir/IR/Builders.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::triton_shared {

/// All elements that an access touches lie at `low <= offset <= high` from its
/// base, in elements. An access that touches none may have any footprint.
///
/// The interval may be too large, never too small: a mask over a block that has
/// dimensions, and which of the elements of a wrapped dimension it meets, are
/// not looked at.
struct AccessFootprint {
  /// Of type index.
  Value low, high;
};

/// Computes the footprint of `op`, an access on memrefs, at the insertion point
/// of `builder`.
AccessFootprint measureFootprint(OpBuilder &builder, tts::AccessOpInterface op);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_ACCESSFOOTPRINT_H
