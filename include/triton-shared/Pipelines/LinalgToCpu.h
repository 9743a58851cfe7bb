//===- LinalgToCpu.h - From phase memref to the LLVM dialect ----*- C++ -*-===//

#ifndef TRITON_SHARED_PIPELINES_LINALGTOCPU_H
#define TRITON_SHARED_PIPELINES_LINALGTOCPU_H

#include "triton-shared/Target/CompileTarget.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::triton_shared {

class CpuTarget;

/// Adds the passes from phase `memref` to phase `llir`. Fast code is made for
/// `cpu`; reference code does not depend on it.
void buildLinalgToCpu(OpPassManager &manager, CpuMode mode,
                      const CpuTarget &cpu);

/// Makes `linalg-to-cpu` available as a pass pipeline.
void registerLinalgToCpuPipelines();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_PIPELINES_LINALGTOCPU_H
