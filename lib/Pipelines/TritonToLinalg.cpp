//===- TritonToLinalg.cpp - The pipeline people know by name --------------===//

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "triton-shared/Pipelines/Phases.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

enum class Accesses { MemRef, Structured };

struct TritonToLinalgOptions
    : public PassPipelineOptions<TritonToLinalgOptions> {
  Option<Accesses> accesses{
      *this, "accesses",
      llvm::cl::desc("What becomes of memory accesses: memref (buffers and "
                     "copies) or structured (kept as 'tts' operations)"),
      llvm::cl::init(Accesses::MemRef),
      llvm::cl::values(
          clEnumValN(Accesses::MemRef, "memref", "upstream dialects only"),
          clEnumValN(Accesses::Structured, "structured",
                     "stop at phase 'linalg'"))};
};

void buildTritonToLinalg(OpPassManager &manager,
                         const TritonToLinalgOptions &options) {
  for (Phase phase : {Phase::Ttir, Phase::Structured, Phase::Linalg})
    buildPhase(manager, phase);
  if (options.accesses == Accesses::MemRef)
    buildPhase(manager, Phase::MemRef);
}

} // namespace

void triton_shared::registerTritonToLinalgPipelines() {
  PassPipelineRegistration<TritonToLinalgOptions>(
      "triton-to-linalg",
      "Lower TTIR to linalg on tensors and memrefs (phases ttir to memref)",
      buildTritonToLinalg);
  PassPipelineRegistration<TritonToLinalgOptions>(
      "triton-to-linalg-experimental",
      "The same, under its name in microsoft/triton-shared",
      buildTritonToLinalg);
}
