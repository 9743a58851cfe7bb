//===- MachineCode.cpp - --to-phase=obj, ptx and cubin --------------------===//

#include "MachineCode.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "triton-shared/Target/CpuTarget.h"
#include "triton-shared/Target/CudaToolkit.h"
#include "triton-shared/Target/ObjectWriter.h"
#include "triton-shared/Target/PtxWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

bool triton_shared::isCode(StringRef phase) {
  return phase == "obj" || phase == "ptx" || phase == "cubin";
}

static std::optional<std::string> makeObject(ModuleOp module,
                                             const CompileTarget &target) {
  std::optional<CpuObject> code = writeObject(module, target.getCpu());
  if (!code)
    return std::nullopt;
  return std::string(code->object.begin(), code->object.end());
}

static std::optional<std::string>
makeGpuCode(ModuleOp module, const CompileTarget &target, bool isAssembled) {
  CudaTools tools;
  tools.ptxas = findPtxas();
  tools.libdevice = findLibdevice(tools.ptxas);
  std::optional<PtxCode> code = writePtx(module, target, tools);
  if (!code || !isAssembled)
    return code ? std::optional(code->ptx) : std::nullopt;
  std::string log;
  std::optional<std::string> cubin =
      assembleCubin(module, code->ptx, target, tools, log);
  if (cubin)
    llvm::errs() << log;
  return cubin;
}

LogicalResult triton_shared::writeCode(StringRef inputFile,
                                       StringRef outputFile, StringRef phase,
                                       const CompileTarget &target,
                                       const DialectRegistry &registry,
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
  if (!module || failed(runToPhase(*module, Phase::Llir, target)))
    return failure();
  std::optional<std::string> code =
      target.isGpu() ? makeGpuCode(*module, target, phase == "cubin")
                     : makeObject(*module, target);
  if (!code)
    return failure();
  output->os() << *code;
  output->keep();
  return success();
}
