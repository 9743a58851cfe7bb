//===- GpuCode.cpp - --to-phase=ptx and cubin -----------------------------===//

#include "GpuCode.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "triton-shared/Target/CudaToolkit.h"
#include "triton-shared/Target/PtxWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

bool triton_shared::isGpuCode(StringRef phase) {
  return phase == "ptx" || phase == "cubin";
}

LogicalResult triton_shared::writeGpuCode(StringRef inputFile,
                                          StringRef outputFile, StringRef phase,
                                          const CompileTarget &target,
                                          const DialectRegistry &registry,
                                          CrashReport &crashReport) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputFile, &error);
  if (!input) {
    llvm::errs() << "triton-shared-opt: " << error << "\n";
    return failure();
  }
  crashReport.keepInput(inputFile, input->getBuffer());
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputFile, &error);
  if (!output) {
    llvm::errs() << "triton-shared-opt: " << error << "\n";
    return failure();
  }
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module || failed(runToPhase(*module, Phase::Llir, target)))
    return failure();

  CudaTools tools;
  tools.ptxas = findPtxas();
  tools.libdevice = findLibdevice(tools.ptxas);
  std::optional<PtxCode> code = writePtx(*module, target, tools);
  if (!code)
    return failure();
  if (phase == "ptx") {
    output->os() << code->ptx;
  } else {
    std::string log;
    std::optional<std::string> cubin =
        assembleCubin(*module, code->ptx, target, tools, log);
    if (!cubin)
      return failure();
    llvm::errs() << log;
    output->os() << *cubin;
  }
  output->keep();
  return success();
}
