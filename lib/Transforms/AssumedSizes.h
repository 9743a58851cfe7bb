//===- AssumedSizes.h - What is divided by, taken for a size ----*- C++ -*-===//
//
// An index that is divided by a number keeps its structure only if the number
// is a size. Where the bits do not say so and structure depends on it, the
// number is marked (`tts.size`): whoever executes the function has to check it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_ASSUMEDSIZES_H
#define TRITON_SHARED_LIB_TRANSFORMS_ASSUMEDSIZES_H

#include "triton-shared/Analysis/AffineForm.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton_shared {

/// The scalars by which indices of `function` are divided, and that may be
/// negative for all that `proven` (an analysis that takes nothing for granted)
/// knows.
llvm::SetVector<Value> findAssumedSizes(Operation *function,
                                        AffineAnalysis &proven);

/// True if `markSize` can mark the value.
bool canMarkSize(Operation *function, Value size);
void markSize(Operation *function, Value size);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_ASSUMEDSIZES_H
