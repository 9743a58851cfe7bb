//===- MachineCode.cpp - --to-phase=obj, ptx and cubin --------------------===//

#include "MachineCode.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "triton-shared/Driver/Compilation.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// Runs the passes of `config`, as mlir-opt would: MLIR's options for what is
/// printed and timed hold here, too.
static LogicalResult runPasses(ModuleOp module,
                               const MlirOptMainConfig &config) {
  DefaultTimingManager timing;
  applyDefaultTimingManagerCLOptions(timing);
  TimingScope scope = timing.getRootScope();
  PassManager manager(module->getName());
  manager.enableTiming(scope);
  return success(succeeded(applyPassManagerCLOptions(manager)) &&
                 succeeded(config.setupPassPipeline(manager)) &&
                 succeeded(manager.run(module)));
}

LogicalResult triton_shared::writeCode(StringRef inputFile,
                                       StringRef outputFile, Phase phase,
                                       const CompileTarget &target,
                                       const DialectRegistry &registry,
                                       const MlirOptMainConfig &config,
                                       CrashReport &crashReport) {
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputFile, &error);
  if (!output) {
    llvm::errs() << "triton-shared-opt: " << error << "\n";
    return failure();
  }
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputFile, &error);
  if (!input) {
    llvm::errs() << "triton-shared-opt: " << error << "\n";
    return failure();
  }
  crashReport.keepInput(inputFile, input->getBuffer());
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module || failed(runPasses(*module, config)))
    return failure();
  CompileOptions options;
  options.target = target;
  options.toPhase = phase;
  options.keepsCodeOnly = true;
  Compilation compilation;
  if (failed(compile(*module, options, compilation)))
    return failure();
  llvm::errs() << compilation.assemblerLog;
  output->os() << compilation.artefacts[stringifyPhase(phase)];
  output->keep();
  return success();
}
