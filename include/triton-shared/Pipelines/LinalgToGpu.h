//===- LinalgToGpu.h - From phase linalg to the LLVM dialect ----*- C++ -*-===//

#ifndef TRITON_SHARED_PIPELINES_LINALGTOGPU_H
#define TRITON_SHARED_PIPELINES_LINALGTOGPU_H

#include "mlir/Pass/PassOptions.h"
#include "triton-shared/Target/TargetFlags.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::triton_shared {

/// What a GPU kernel is made for.
struct LinalgToGpuOptions : PassPipelineOptions<LinalgToGpuOptions> {
#define CPU_OPTION(type, member, name, default, help)
#define GPU_OPTION(type, member, name, default, help)                          \
  Option<type> member{*this, name, llvm::cl::desc(help),                       \
                      llvm::cl::init(default), TargetOptionValues<type>()};
#include "triton-shared/Target/TargetOptions.def"
  Option<std::string> arch{*this, "arch",
                           llvm::cl::desc("compute capability, as in sm_90a"),
                           llvm::cl::init("90a")};
};

/// Adds those passes of the next function after which instructions of matrix
/// products have been chosen.
void buildInstructions(OpPassManager &manager, const CompileTarget &target);
/// Adds the passes from phase `linalg` to phase `cta`.
void buildLinalgToCta(OpPassManager &manager, const CompileTarget &target);
/// Adds the passes from phase `cta` to phase `gpu`.
void buildCtaToGpu(OpPassManager &manager, bool isPrecise);
/// Adds the passes from phase `gpu` to phase `llir`.
void buildGpuToLlvm(OpPassManager &manager);

/// Makes `linalg-to-gpu` available as a pass pipeline.
void registerLinalgToGpuPipelines();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_PIPELINES_LINALGTOGPU_H
