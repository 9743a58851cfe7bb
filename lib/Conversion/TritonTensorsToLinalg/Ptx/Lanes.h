//===- Lanes.h - Numbers in the bits of a register --------------*- C++ -*-===//
//
// A register holds one number or two of half its width.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PTX_LANES_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PTX_LANES_H

#include "InlineAssembly.h"

namespace mlir::triton_shared::assembly {

/// The integer `value` in more or fewer bits.
Value resize(OpBuilder &builder, Location loc, Value value, unsigned width,
             bool isSigned);

FloatType getFloatType(MLIRContext *context, NumberType type);

/// Lane number `lane` of `bits` as a number of `type`, lanes being as wide as
/// it is.
Value getLane(OpBuilder &builder, Location loc, Value bits, unsigned lane,
              Type type);

/// One integer with the bits of `lanes`, the first one lowest.
Value joinLanes(OpBuilder &builder, Location loc, ValueRange lanes);

/// `value`, or a zero of its sign if it is subnormal.
Value flushSubnormal(OpBuilder &builder, Location loc, Value value);

/// `value` between 0 and 1; NaN becomes 0.
Value saturateToUnit(OpBuilder &builder, Location loc, Value value);

} // namespace mlir::triton_shared::assembly

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PTX_LANES_H
