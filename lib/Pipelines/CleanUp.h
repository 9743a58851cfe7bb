//===- CleanUp.h - What follows a step that leaves remnants -----*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_PIPELINES_CLEANUP_H
#define TRITON_SHARED_LIB_PIPELINES_CLEANUP_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::triton_shared {

/// Folds what has become constant or dead, and what is computed twice.
inline void addCleanUp(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_PIPELINES_CLEANUP_H
