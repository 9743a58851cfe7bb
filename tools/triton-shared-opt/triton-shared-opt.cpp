//===- triton-shared-opt.cpp - The compiler, pass by pass -----------------===//
//
// mlir-opt with the dialects and passes of this project, and with phases:
// `--to-phase=linalg` stops where the name says, `--dump-phases-to=<folder>`
// leaves every phase on the way as a file that can be read again.
//
// Exit codes: 0; 1 after an error, which is printed; 70 after a crash.
//
//===----------------------------------------------------------------------===//

#include "../ToolMains.h"
#include "CommandLine.h"
#include "CrashReport.h"
#include "MachineCode.h"
#include "PhaseFlags.h"
#include "RunToPhase.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "triton-shared/InitAll.h"
#include "triton-shared/Pipelines/Phases.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Loading LLVM registers hundreds of options of its back ends. They work, but
/// `--help` is about this tool (`--help-hidden` lists them).
void hideLibraryOptions() {
  for (auto &entry : llvm::cl::getRegisteredOptions())
    if (!entry.first.starts_with("help") && entry.first != "version")
      entry.second->setHiddenFlag(llvm::cl::Hidden);
}

StringRef getVariable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Triton's switches. MLIR_ENABLE_DUMP shows the module after every pass that
/// has changed it: with 1, or with the name of one of its kernels; on `dump`.
/// MLIR_ENABLE_TIMING shows how long passes took.
MlirOptMainConfig followSwitches(const MlirOptMainConfig &config,
                                 raw_ostream &dump) {
  StringRef shown = getVariable("MLIR_ENABLE_DUMP");
  bool isTimed = getVariable("MLIR_ENABLE_TIMING") == "1";
  if (shown.empty() && !isTimed)
    return config;
  MlirOptMainConfig switched = config;
  switched.setPassPipelineSetupFn([=, &dump](PassManager &manager) {
    manager.getContext()->disableMultithreading();
    if (!shown.empty())
      printChanges(manager, dump, shown == "1" ? "" : shown);
    if (isTimed)
      printTimes(manager, llvm::errs());
    return config.setupPassPipeline(manager);
  });
  return switched;
}

/// MLIR_DUMP_PATH, as in Triton: the file that dumps are added to; null if they
/// go to the error output.
FailureOr<std::unique_ptr<raw_ostream>> openDump() {
  StringRef path = getVariable("MLIR_DUMP_PATH");
  if (path.empty() || getVariable("MLIR_ENABLE_DUMP").empty())
    return std::unique_ptr<raw_ostream>();
  std::error_code error;
  auto stream = std::make_unique<llvm::raw_fd_ostream>(
      path, error, llvm::sys::fs::OF_Append);
  if (!error)
    return std::unique_ptr<raw_ostream>(std::move(stream));
  llvm::errs() << "triton-shared-opt: cannot write MLIR_DUMP_PATH '" << path
               << "': " << error.message() << "\n";
  return failure();
}

int compileFile(StringRef inputFile, StringRef outputFile,
                DialectRegistry &registry, const MlirOptMainConfig &config,
                CrashReport &crashReport) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputFile, &error);
  if (!input) {
    llvm::errs() << "triton-shared-opt: " << error << "\n";
    return EXIT_FAILURE;
  }
  crashReport.keepInput(inputFile, input->getBuffer());
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputFile, &error);
  if (!output) {
    llvm::errs() << "triton-shared-opt: " << error << "\n";
    return EXIT_FAILURE;
  }
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return EXIT_FAILURE;
  output->keep();
  return EXIT_SUCCESS;
}

/// False if the command line says that a crash is to be seen as it is. It has
/// not been parsed when this is asked.
bool wantsCrashReport(ArrayRef<char *> words) {
  return llvm::none_of(
      words, [](StringRef word) { return word.ltrim('-') == kNoCrashReport; });
}

} // namespace

int tritonSharedOptMain(int argc, char **argv) {
  llvm::setBugReportMsg("");
  CrashReport crashReport(argc, argv);
  if (wantsCrashReport({argv, static_cast<size_t>(argc)}))
    crashReport.goOnInChild();
  llvm::InitLLVM init(argc, argv);
  if (failed(checkCommandLine({argv, static_cast<size_t>(argc)})))
    return EXIT_FAILURE;
  SmallVector<char *> words =
      withOwnDefaults({argv, static_cast<size_t>(argc)});
  argc = static_cast<int>(words.size());
  argv = words.data();
  hideLibraryOptions();

  PhaseFlags flags;
  DialectRegistry registry;
  registerAllDialects(registry);
  triton_shared::registerAllPasses();
  registerRunToPhase();
  auto [inputFile, outputFile] = registerAndParseCLIOptions(
      argc, argv, "triton-shared-opt: lower Triton IR to linalg and beyond\n",
      registry);

  if (flags.vintage.getNumOccurrences())
    triton::requestTextVintage(registry, flags.vintage);

  FailureOr<std::unique_ptr<raw_ostream>> dump = openDump();
  if (failed(dump))
    return EXIT_FAILURE;
  raw_ostream &shown = *dump ? **dump : llvm::errs();
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (flags.printPipeline && flags.toPhase.empty())
    flags.toPhase = stringifyPhase(Phase::Llir).str();
  if (!flags.toPhase.empty()) {
    std::optional<CompileTarget> target = flags.findTarget();
    if (!target)
      return EXIT_FAILURE;
    Phase phase = *symbolizePhase(flags.toPhase);
    if (flags.printPipeline) {
      printPipelines(Phase::Source, std::min(phase, Phase::Llir), *target,
                     llvm::outs());
      return EXIT_SUCCESS;
    }
    config.setPassPipelineSetupFn(
        [&, phase, target = *target](PassManager &manager) {
          manager.addPass(createRunToPhase(std::min(phase, Phase::Llir),
                                           flags.targetName, target,
                                           flags.dumpFolder));
          return success();
        });
    if (isCode(phase))
      return failed(writeCode(inputFile, outputFile, phase, *target, registry,
                              followSwitches(config, shown), crashReport));
  }
  return compileFile(inputFile, outputFile, registry,
                     followSwitches(config, shown), crashReport);
}
