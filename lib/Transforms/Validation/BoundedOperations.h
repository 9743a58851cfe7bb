//===- BoundedOperations.h - Bounds of operations on floats ----*- C++ -*--===//
//
// Which operations `triton-derive-bounds` knows, and how far off each may be.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_BOUNDEDOPERATIONS_H
#define TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_BOUNDEDOPERATIONS_H

#include "BoundArithmetic.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::triton_shared {

/// Whether an operation computes one float, element by element, and has a rule.
bool hasElementRule(Operation *op);

/// What it makes of `operands`, which have `getReal` for floats; integers among
/// them are as they were, and have no bound.
Bounded computeElement(Operation *op, ArrayRef<Bounded> operands,
                       OpBuilder &builder);

/// The operation by which a reduction or a scan combines floats, if it is a sum
/// or picks one of them; else null.
Operation *findCombiner(Operation *op);

/// Says at the first operation without a rule that it has none.
LogicalResult checkHasBounds(ModuleOp module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_BOUNDEDOPERATIONS_H
