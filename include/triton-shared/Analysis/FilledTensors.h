//===- FilledTensors.h - Tensors of equal elements --------------*- C++ -*-===//

#ifndef TRITON_SHARED_ANALYSIS_FILLEDTENSORS_H
#define TRITON_SHARED_ANALYSIS_FILLEDTENSORS_H

#include "mlir/IR/Value.h"

namespace mlir::triton_shared {

/// The operand of the operation that makes `tensor` which says what all its
/// elements are; null if there is none. A tensor of no dimensions has one
/// element, which is inserted.
OpOperand *findFiller(Value tensor);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_FILLEDTENSORS_H
