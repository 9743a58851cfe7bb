//===- ExactFloats.h - What operations on floats are in the ring *- C++ -*-===//
//
// Which operations `triton-exact-floats` knows, and what they become.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_EXACTFLOATS_H
#define TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_EXACTFLOATS_H

#include "FloatTracks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {

/// Whether an operation computes one float.
bool computesNumber(Operation *op);

/// What `op` makes of numbers of the ring. Integers among the operands are as
/// they were.
Value computeInRing(Operation *op, ArrayRef<Value> operands,
                    OpBuilder &builder);

/// The number of the ring that belongs to the operand which `op` picks, by what
/// the operands are in f64; null for an operation that picks none.
Value pickOperand(Operation *op, ArrayRef<Value> ring, ArrayRef<Value> real,
                  OpBuilder &builder);

/// The function of libdevice that computes the same in f64; empty if that is
/// not known.
std::string getSymbolInDouble(triton::ExternElementwiseOp call);

/// Whether anything depends on what floats are, besides other floats.
bool needsReal(ModuleOp module);

/// Says at the first operation without a form in the ring why it has none.
LogicalResult checkHasExactForm(ModuleOp module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_EXACTFLOATS_H
