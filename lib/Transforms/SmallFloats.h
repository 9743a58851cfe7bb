//===- SmallFloats.h - Conversions of small floats on integers --*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_SMALLFLOATS_H
#define TRITON_SHARED_LIB_TRANSFORMS_SMALLFLOATS_H

#include "mlir/IR/Builders.h"

namespace mlir::triton_shared {

/// The floats of 8 or 16 bits in `value`, a scalar or a tile, as `to`, which
/// holds them all: integer arithmetic on their bits.
Value widenSmallFloat(OpBuilder &builder, Location loc, Value value, Type to);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_SMALLFLOATS_H
