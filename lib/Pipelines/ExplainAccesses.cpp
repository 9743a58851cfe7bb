//===- ExplainAccesses.cpp - From TTIR to what is said about its accesses -===//
//
// Everything that comes before accesses are recovered: from then on strides and
// bounds are values without the names that the kernel's author gave them.
//
//===----------------------------------------------------------------------===//

#include "CleanUp.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "triton-shared/Conversion/Passes.h"
#include "triton-shared/Pipelines/Phases.h"
#include "triton-shared/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::triton_shared;

void triton_shared::buildExplainableAccesses(OpPassManager &manager) {
  buildPhase(manager, Phase::Ttir);
  manager.addPass(createTritonDescriptorsToStructured());
  manager.addPass(createTritonPointersToStructured());
  addCleanUp(manager);
}

namespace {

struct ExplainAccessesOptions
    : public PassPipelineOptions<ExplainAccessesOptions> {
  Option<AccessFormat> format{
      *this, "as",
      llvm::cl::desc("remarks at the lines of the kernel, counts per kernel, "
                     "or json"),
      llvm::cl::init(AccessFormat::Remarks), getAccessFormats()};
};

} // namespace

void triton_shared::registerExplainAccessesPipeline() {
  PassPipelineRegistration<ExplainAccessesOptions>(
      "explain-accesses",
      "Say of a kernel in TTIR how it accesses memory, and why if element by "
      "element",
      [](OpPassManager &manager, const ExplainAccessesOptions &options) {
        buildExplainableAccesses(manager);
        manager.addPass(createTritonExplainAccesses({options.format}));
      });
}
