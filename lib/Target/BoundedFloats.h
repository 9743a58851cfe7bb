//===- BoundedFloats.h - Comparisons that can have one result ---*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_BOUNDEDFLOATS_H
#define TRITON_SHARED_LIB_TARGET_BOUNDEDFLOATS_H

#include "llvm/IR/PassManager.h"

namespace mlir::triton_shared {

/// Decides comparisons of floats with constants that are larger than these
/// floats can be: an integer of 32 bits that is scaled to a random number below
/// one is no angle that takes a cosine's long way, which keeps what that needs
/// in registers beside everything else.
class DecideBoundedComparisons
    : public llvm::PassInfoMixin<DecideBoundedComparisons> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_BOUNDEDFLOATS_H
