//===- RunToPhase.cpp - The pass behind --to-phase ------------------------===//
//
// Its options are those of the command line, as text: a reproducer of MLIR has
// the pass with all that it needs.
//
//===----------------------------------------------------------------------===//

#include "RunToPhase.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "triton-shared/InitAll.h"
#include "triton-shared/Target/TargetFlags.h"

#include <list>

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct RunToPhase : PassWrapper<RunToPhase, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RunToPhase)

  RunToPhase() = default;
  // Options are copied by who asks for the copy.
  RunToPhase(const RunToPhase &other) : PassWrapper(other) {}

  StringRef getName() const override { return "RunToPhase"; }
  StringRef getArgument() const override { return kRunToPhase; }
  StringRef getDescription() const override {
    return "Run the passes from the phase of the input to another";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerAllDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Phase> last = symbolizePhase(phase);
    if (last && isCode(*last))
      last = std::nullopt;
    std::string problem = "unknown phase '" + phase + "'";
    std::optional<CompileTarget> compileTarget;
    if (last)
      compileTarget = parseTarget(target, problem);
    if (!compileTarget) {
      emitError(module.getLoc(), problem);
      return signalPassFailure();
    }
#define TARGET_OPTION(type, member, name, default, help)                       \
  compileTarget->member = member;
#include "triton-shared/Target/TargetOptions.def"
    if (failed(runTo(*last, *compileTarget)))
      signalPassFailure();
  }

  LogicalResult runTo(Phase last, const CompileTarget &compileTarget) {
    ModuleOp module = getOperation();
    // All are kept: timing tells passes apart by their addresses.
    std::list<OpPassManager> managers;
    auto step = [&](Phase next) -> LogicalResult {
      OpPassManager &manager =
          managers.emplace_back(ModuleOp::getOperationName());
      buildPhase(manager, next, compileTarget);
      if (failed(runPipeline(manager, module)))
        return failure();
      return dumpFolder.empty() ? success()
                                : dumpPhase(dumpFolder, next, module);
    };
    return followPhases(module, last, compileTarget, step);
  }

  Option<std::string> phase{*this, "phase", llvm::cl::desc("The last one"),
                            llvm::cl::init("memref")};
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("cpu or cuda:<capability>"),
                             llvm::cl::init("cpu")};
#define TARGET_OPTION(type, member, name, default, help)                       \
  Option<type> member{*this, name, llvm::cl::desc(help),                       \
                      llvm::cl::init(default), TargetOptionValues<type>()};
#include "triton-shared/Target/TargetOptions.def"
  Option<std::string> dumpFolder{*this, "dump-to",
                                 llvm::cl::desc("Where each phase is written"),
                                 llvm::cl::init("")};
};

} // namespace

std::unique_ptr<Pass>
triton_shared::createRunToPhase(Phase phase, StringRef targetName,
                                const CompileTarget &target,
                                StringRef dumpFolder) {
  auto pass = std::make_unique<RunToPhase>();
  pass->phase = stringifyPhase(phase).str();
  pass->target = targetName.str();
#define TARGET_OPTION(type, member, name, default, help)                       \
  pass->member = target.member;
#include "triton-shared/Target/TargetOptions.def"
  pass->dumpFolder = dumpFolder.str();
  return pass;
}

void triton_shared::registerRunToPhase() { PassRegistration<RunToPhase>(); }
