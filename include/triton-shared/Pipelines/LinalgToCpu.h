//===- LinalgToCpu.h - From phase memref to the LLVM dialect ----*- C++ -*-===//

#ifndef TRITON_SHARED_PIPELINES_LINALGTOCPU_H
#define TRITON_SHARED_PIPELINES_LINALGTOCPU_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::triton_shared {

/// How the CPU code is made.
enum class CpuMode {
  Reference, ///< Plain loops in program order: the oracle for everything else.
};

struct LinalgToCpuOptions : public PassPipelineOptions<LinalgToCpuOptions> {
  Option<CpuMode> mode{
      *this, "mode", llvm::cl::desc("How the code is made"),
      llvm::cl::init(CpuMode::Reference),
      llvm::cl::values(clEnumValN(CpuMode::Reference, "reference",
                                  "plain loops, the C library's functions, no "
                                  "reassociation"))};
};

/// Adds the passes from phase `memref` to phase `llir`.
void buildLinalgToCpuPipeline(OpPassManager &manager,
                              const LinalgToCpuOptions &options = {});

/// Makes `linalg-to-cpu` available as a pass pipeline.
void registerLinalgToCpuPipelines();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_PIPELINES_LINALGTOCPU_H
