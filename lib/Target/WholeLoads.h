//===- WholeLoads.h - Loads of what was stored in parts ---------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_WHOLELOADS_H
#define TRITON_SHARED_LIB_TARGET_WHOLELOADS_H

#include "llvm/IR/PassManager.h"

namespace mlir::triton_shared {

/// Where a local vector is stored in parts and then loaded, loads these parts
/// and puts them together.
///
/// SROA of LLVM 22 puts them together behind the store that it takes for the
/// last one, by their places: with stores from the back to the front, as a
/// reverse scan makes them, that is before the others, and the code is broken.
class SplitWholeLoads : public llvm::PassInfoMixin<SplitWholeLoads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_WHOLELOADS_H
