//===- NumberBits.h - Numbers as the integers of their bits -----*- C++ -*-===//

#ifndef TRITON_SHARED_CONVERSION_NUMBERBITS_H
#define TRITON_SHARED_CONVERSION_NUMBERBITS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::triton_shared {

/// The integer that is as wide as a number of `type`.
inline IntegerType getBitsType(Type type) {
  return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
}

/// The bits of a number. An integer is its own bits.
inline Value toBits(OpBuilder &builder, Location loc, Value value) {
  Type integer = getBitsType(value.getType());
  return value.getType() == integer
             ? value
             : arith::BitcastOp::create(builder, loc, integer, value);
}

/// The number of `type` that has these bits.
inline Value fromBits(OpBuilder &builder, Location loc, Value bits, Type type) {
  return bits.getType() == type
             ? bits
             : arith::BitcastOp::create(builder, loc, type, bits);
}

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_CONVERSION_NUMBERBITS_H
