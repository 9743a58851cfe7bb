//===- triton-shared-reduce.cpp - The smallest module that still fails ----===//
//
//   triton-shared-reduce kernel.ttir --test=./interesting.sh -o small.ttir
//
// The test gets the name of a file, and ends with exit code 0 as long as that
// shows the problem. Exit codes of the tool: 0; 1 after an error.
//
//===----------------------------------------------------------------------===//

#include "../ToolMains.h"
#include "Reducer.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "triton-shared/InitAll.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// Writes the module to a file and runs the test on it.
static bool passesTest(ModuleOp module, StringRef test) {
  SmallString<128> path;
  int file;
  if (llvm::sys::fs::createTemporaryFile("triton-shared-reduce", "mlir", file,
                                         path))
    return false;
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
  module.print(stream);
  stream.close();
  return llvm::sys::ExecuteAndWait(test, {test, path}) == 0;
}

static int fail(const llvm::Twine &message) {
  llvm::errs() << "triton-shared-reduce: error: " << message << "\n";
  return EXIT_FAILURE;
}

int tritonSharedReduceMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::OptionCategory category("Reducing");
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::init("-"),
                                   llvm::cl::desc("<file>"),
                                   llvm::cl::cat(category));
  llvm::cl::opt<std::string> output("o", llvm::cl::init("-"),
                                    llvm::cl::value_desc("file"),
                                    llvm::cl::cat(category));
  llvm::cl::opt<std::string> test(
      "test", llvm::cl::Required, llvm::cl::value_desc("program"),
      llvm::cl::cat(category),
      llvm::cl::desc("Gets a file; exit code 0 if it still shows the problem"));
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "triton-shared-reduce: make a module small that fails\n");

  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = parseSourceFile<ModuleOp>(input, sources, &context);
  if (!module)
    return EXIT_FAILURE;
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(test);
  if (!program)
    return fail("there is no program '" + test + "'");
  auto isInteresting = [&](ModuleOp smaller) {
    return passesTest(smaller, *program);
  };
  if (!isInteresting(*module))
    return fail("'" + input + "' does not show the problem: '" + test +
                "' ends with another exit code than 0");
  std::string problem;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(output, &problem);
  if (!file)
    return fail(problem);
  reduceModule(*module, isInteresting)->print(file->os());
  file->keep();
  return EXIT_SUCCESS;
}
