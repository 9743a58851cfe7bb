//===- SmallFloats.h - Conversions of small floats on integers --*- C++ -*-===//

#ifndef TRITON_SHARED_TRANSFORMS_SMALLFLOATS_H
#define TRITON_SHARED_TRANSFORMS_SMALLFLOATS_H

#include "mlir/IR/Builders.h"

namespace mlir::triton_shared {

/// The floats of 8 or 16 bits in `value`, a scalar or a tile, as `to`, which
/// holds them all: integer arithmetic on their bits.
Value widenSmallFloat(OpBuilder &builder, Location loc, Value value, Type to);

/// True for the floats of 8 bits that some GPUs convert to f16 by themselves.
bool isGpuFloat8(Type type);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_SMALLFLOATS_H
