//===- CheckValues.h - The ways in which values are wrong -------*- C++ -*-===//
//
// Each adds its notes to a kernel, and leaves what the kernel computes.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TRANSFORMS_VALIDATION_CHECKVALUES_H
#define TRITON_SHARED_TRANSFORMS_VALIDATION_CHECKVALUES_H

#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {

/// Hints of the kernel's author, and of Triton about arguments, that are false.
void noteFalseHints(triton::FuncOp kernel);

/// Elements that a masked load has not read.
void noteUndefinedLanes(triton::FuncOp kernel);

/// Integers that have wrapped around and form addresses.
void noteWrappedAddresses(triton::FuncOp kernel);

/// Stores of infinite numbers, or of none, that the kernel has made.
void noteNotFiniteValues(triton::FuncOp kernel);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_VALIDATION_CHECKVALUES_H
