//===- TakenValues.h - What an operation takes ------------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_TAKENVALUES_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_TAKENVALUES_H

#include "mlir/IR/Operation.h"

namespace mlir::triton_shared {

/// True if `op`, or what it holds, takes a value for which `isSuch` is true.
inline bool takesAny(Operation *op, llvm::function_ref<bool(Value)> isSuch) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(), isSuch)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_TAKENVALUES_H
