//===- WideVectors.h - Vectors that no registers hold -----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_WIDEVECTORS_H
#define TRITON_SHARED_LIB_TARGET_WIDEVECTORS_H

#include "llvm/IR/PassManager.h"

namespace mlir::triton_shared {

/// In a function with a vector that fills more than the registers of a thread,
/// makes all vectors scalars, but for those that are loaded or stored.
///
/// A tile comes as one vector. LLVM computes with such vectors as with others,
/// but looks at all elements for each one that is inserted or extracted, often
/// several times: 35 s for a product of 2048 elements a thread.
class SplitWideVectors : public llvm::PassInfoMixin<SplitWideVectors> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_WIDEVECTORS_H
