//===- LinalgToCpu.h - From phase memref to the LLVM dialect ----*- C++ -*-===//

#ifndef TRITON_SHARED_PIPELINES_LINALGTOCPU_H
#define TRITON_SHARED_PIPELINES_LINALGTOCPU_H

#include "mlir/Pass/PassOptions.h"
#include "triton-shared/Target/CompileTarget.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::triton_shared {

struct LinalgToCpuOptions : public PassPipelineOptions<LinalgToCpuOptions> {
  Option<CpuMode> mode{
      *this, "mode", llvm::cl::desc("How the code is made"),
      llvm::cl::init(CpuMode::Reference),
      llvm::cl::values(clEnumValN(CpuMode::Reference, "reference",
                                  "plain loops, the C library's functions, no "
                                  "reassociation"),
                       clEnumValN(CpuMode::Fast, "fast",
                                  "vectors, dots by tiles in registers, "
                                  "functions of f32 as polynomials"))};
  Option<unsigned> vectorBytes{
      *this, "vector-bytes",
      llvm::cl::desc("mode=fast: bytes of a vector register"),
      llvm::cl::init(64)};
  Option<unsigned> registers{
      *this, "registers",
      llvm::cl::desc("mode=fast: how many vector registers there are"),
      llvm::cl::init(32)};
  Option<bool> hasFma{
      *this, "fma",
      llvm::cl::desc("mode=fast: the CPU multiplies and adds in one operation"),
      llvm::cl::init(true)};
  Option<bool> hasScale{
      *this, "scale",
      llvm::cl::desc("mode=fast: the CPU multiplies by powers of two"),
      llvm::cl::init(false)};
};

/// Sets what fast code is made for to what this machine has.
void useHost(LinalgToCpuOptions &options);

/// Adds the passes from phase `memref` to phase `llir`.
void buildLinalgToCpuPipeline(OpPassManager &manager,
                              const LinalgToCpuOptions &options);

/// Makes `linalg-to-cpu` available as a pass pipeline.
void registerLinalgToCpuPipelines();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_PIPELINES_LINALGTOCPU_H
