//===- Halves.h - Rounding to floats of 16 bits -----------------*- C++ -*-===//
//
// PTX rounds to f16 and bf16 in each of IEEE 754's ways.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PTX_HALVES_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PTX_HALVES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::triton_shared::assembly {

/// `value`, a float that was cut off, with its last bit set if it is inexact.
/// Rounded to fewer bits, it becomes what the exact number becomes.
Value markInexact(OpBuilder &builder, Location loc, Value value,
                  Value isInexact);

/// `value`, an f32 or f64, as the f16 or bf16 that `mode` says: `rn`, `rz`,
/// `rm` or `rp`.
Value narrowToHalf(OpBuilder &builder, Location loc, Value value,
                   FloatType type, StringRef mode);

} // namespace mlir::triton_shared::assembly

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PTX_HALVES_H
