//===- IndexNumbers.h - Numbers as accesses take them -----------*- C++ -*-===//
//
// Offsets, strides and bounds of accesses are of type i64.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_STRUCTURED_IR_INDEXNUMBERS_H
#define TRITON_SHARED_DIALECT_STRUCTURED_IR_INDEXNUMBERS_H

#include "mlir/IR/Builders.h"

namespace mlir::tts {

/// `value` as i64: an index, or a signed integer or tensor of such, which is
/// extended if it is narrower.
Value extendToI64(OpBuilder &builder, Location loc, Value value);

} // namespace mlir::tts

#endif // TRITON_SHARED_DIALECT_STRUCTURED_IR_INDEXNUMBERS_H
