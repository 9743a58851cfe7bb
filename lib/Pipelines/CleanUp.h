//===- CleanUp.h - What follows a step that leaves remnants -----*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_PIPELINES_CLEANUP_H
#define TRITON_SHARED_LIB_PIPELINES_CLEANUP_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::triton_shared {

/// Folds what has become constant or dead, and what is computed twice.
inline void addCleanUp(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

/// The same where regions have one block each: to look for blocks that nothing
/// reaches is a tenth of the time that a long kernel takes.
inline void addStructuredCleanUp(OpPassManager &manager) {
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal();
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  manager.addPass(createCanonicalizerPass(config));
  manager.addPass(createCSEPass());
}

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_PIPELINES_CLEANUP_H
