//===- SmallFloats.h - Conversions of small floats on integers --*- C++ -*-===//

#ifndef TRITON_SHARED_TRANSFORMS_SMALLFLOATS_H
#define TRITON_SHARED_TRANSFORMS_SMALLFLOATS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::triton_shared {

/// The floats of 8 or 16 bits in `value`, a scalar or a tile, as `to`, which
/// holds them all: integer arithmetic on their bits.
Value widenSmallFloat(OpBuilder &builder, Location loc, Value value, Type to);

/// `value`, floats in a scalar or a tile, as `to`, of 8 or 16 bits: to nearest,
/// ties to even, or towards zero. Beyond the largest number lies infinity, or
/// NaN where the format has none.
Value narrowSmallFloat(OpBuilder &builder, Location loc, Value value,
                       FloatType to, bool towardZero = false);

/// What `op` narrows, before it was cut to the largest number of the format and
/// to the smallest one; null if it was not.
Value findSaturated(arith::TruncFOp op);

/// True for what GPUs with conversions of 8-bit floats do by themselves: to
/// f16, and to nearest from f16, bf16 or f32 that are cut to the format's
/// range.
bool isGpuWidening(arith::ExtFOp op);
bool isGpuNarrowing(arith::TruncFOp op);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_SMALLFLOATS_H
