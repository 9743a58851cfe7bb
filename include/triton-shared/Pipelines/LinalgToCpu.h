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

/// The two halves of it: up to functions of bounded length, and what each of
/// them becomes for itself.
void buildLinalgToPieces(OpPassManager &manager, CpuMode mode,
                         const CpuTarget &cpu);
void buildPiecesToLlvm(OpPassManager &manager, CpuMode mode);

/// Makes `linalg-to-cpu` available as a pass pipeline.
void registerLinalgToCpuPipelines();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_PIPELINES_LINALGTOCPU_H
