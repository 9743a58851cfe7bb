//===- ReachPhase.cpp - Go on to a phase, from wherever one is ------------===//
//
// Flags of other triton-shareds name one step each, and people run them one by
// one or all in a row. Each of them promises a phase here: whoever is there
// already has nothing to do, whoever is not is brought there.
//
//===----------------------------------------------------------------------===//

#include "ReachPhase.h"

#include "mlir/Pass/PassManager.h"
#include "triton-shared/InitAll.h"

#include <list>

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct ReachPhase : PassWrapper<ReachPhase, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReachPhase)

  ReachPhase() = default;
  // Options are copied by who asks for the copy.
  ReachPhase(const ReachPhase &other) : PassWrapper(other) {}

  StringRef getName() const override { return "ReachPhase"; }
  StringRef getArgument() const override { return "reach-phase"; }
  StringRef getDescription() const override {
    return "Run what leads to a phase; nothing from there on";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerAllDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Phase> last = symbolizePhase(phase);
    if (!last || isCode(*last)) {
      emitError(module.getLoc(), "unknown phase '" + phase + "'");
      return signalPassFailure();
    }
    if (!isReachable(detectPhase(module), *last, {}))
      return;
    HandOver handOver{recoversAccesses, findsWraps,     gathersDimensions,
                      keepsProgramIds,  keepsFunctions, assertsToCf};
    // All are kept: timing tells passes apart by their addresses.
    std::list<OpPassManager> managers;
    auto step = [&](Phase next) {
      OpPassManager &manager =
          managers.emplace_back(ModuleOp::getOperationName());
      buildPhase(manager, next, {}, handOver);
      return runPipeline(manager, module);
    };
    if (failed(followPhases(module, *last, {}, step)))
      signalPassFailure();
  }

  Option<std::string> phase{*this, "phase", llvm::cl::desc("Where to"),
                            llvm::cl::init("memref")};
  Option<bool> recoversAccesses{
      *this, "recover-accesses",
      llvm::cl::desc("look for strides; else all blocks are gathered"),
      llvm::cl::init(true)};
  Option<bool> findsWraps{*this, "wraps",
                          llvm::cl::desc("of structured-recover-accesses"),
                          llvm::cl::init(true)};
  Option<bool> gathersDimensions{
      *this, "gathered-dimensions",
      llvm::cl::desc("of structured-recover-accesses"), llvm::cl::init(true)};
  Option<bool> keepsProgramIds{*this, "keep-program-ids",
                               llvm::cl::desc("of triton-tensors-to-linalg"),
                               llvm::cl::init(false)};
  Option<bool> keepsFunctions{*this, "keep-functions",
                              llvm::cl::desc("of triton-tensors-to-linalg"),
                              llvm::cl::init(false)};
  Option<bool> assertsToCf{*this, "asserts-to-cf",
                           llvm::cl::desc("of triton-tensors-to-linalg"),
                           llvm::cl::init(false)};
};

} // namespace

std::unique_ptr<Pass>
triton_shared::createReachPhase(Phase phase, const HandOver &handOver) {
  auto pass = std::make_unique<ReachPhase>();
  pass->phase = stringifyPhase(phase).str();
  pass->recoversAccesses = handOver.recoversAccesses;
  pass->findsWraps = handOver.findsWraps;
  pass->gathersDimensions = handOver.gathersDimensions;
  pass->keepsProgramIds = handOver.keepsProgramIds;
  pass->keepsFunctions = handOver.keepsFunctions;
  pass->assertsToCf = handOver.assertsToCf;
  return pass;
}

void triton_shared::registerReachPhase() { PassRegistration<ReachPhase>(); }
