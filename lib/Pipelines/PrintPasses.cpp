//===- PrintPasses.cpp - Which passes run, and what they change -----------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "triton-shared/Pipelines/Phases.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

void triton_shared::printChanges(PassManager &manager, raw_ostream &stream) {
  auto never = [](Pass *, Operation *) { return false; };
  // A pass without an argument only runs others, which print for themselves.
  auto isNamed = [](Pass *pass, Operation *) {
    return !pass->getArgument().empty();
  };
  manager.enableIRPrinting(never, isNamed, /*printModuleScope=*/true,
                           /*printAfterOnlyOnChange=*/true,
                           /*printAfterOnlyOnFailure=*/false, stream);
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
