//===- PrintPasses.cpp - Which passes run, and what they change -----------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "triton-shared/Pipelines/Phases.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// Whether the module around `op` has a function of the name `kernel`.
static bool hasFunction(Operation *op, StringRef kernel) {
  while (Operation *parent = op->getParentOp())
    op = parent;
  return op
      ->walk([&](FunctionOpInterface function) {
        return function.getName() == kernel ? WalkResult::interrupt()
                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

void triton_shared::printChanges(PassManager &manager, raw_ostream &stream,
                                 StringRef kernel) {
  auto never = [](Pass *, Operation *) { return false; };
  // One pass only runs others, which print for themselves.
  auto isWanted = [kernel = kernel.str()](Pass *pass, Operation *op) {
    return !pass->getArgument().empty() && pass->getArgument() != kRunToPhase &&
           (kernel.empty() || hasFunction(op, kernel));
  };
  manager.enableIRPrinting(never, isWanted, /*printModuleScope=*/true,
                           /*printAfterOnlyOnChange=*/true,
                           /*printAfterOnlyOnFailure=*/false, stream);
}

void triton_shared::printTimes(PassManager &manager, raw_ostream &stream) {
  auto timing = std::make_unique<DefaultTimingManager>();
  timing->setEnabled(true);
  timing->setOutput(
      createOutputStrategy(DefaultTimingManager::OutputFormat::Text, stream));
  manager.enableTiming(std::move(timing));
}

void triton_shared::printPipelines(Phase from, Phase to,
                                   const CompileTarget &target,
                                   raw_ostream &stream) {
  for (Phase phase = from; phase != to;) {
    phase = *getNextPhase(phase, target);
    OpPassManager manager(ModuleOp::getOperationName());
    buildPhase(manager, phase, target);
    stream << "// " << stringifyPhase(phase) << "\n";
    manager.printAsTextualPipeline(stream, /*pretty=*/true);
    stream << "\n";
  }
}
