//===- Compilation.cpp - From a source to all that it becomes -------------===//

#include "triton-shared/Driver/Compilation.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "triton-shared/Analysis/AccessReport.h"
#include "triton-shared/Driver/KernelFacts.h"
#include "triton-shared/Pipelines/OwnThread.h"
#include "triton-shared/Target/CpuTarget.h"
#include "triton-shared/Target/CudaToolkit.h"
#include "triton-shared/Target/IrCode.h"
#include "triton-shared/Target/ObjectWriter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

class Driver {
public:
  Driver(ModuleOp module, const CompileOptions &options, Compilation &result)
      : module(module), options(options), result(result) {}

  LogicalResult run() {
    if (options.explainsAccesses)
      return explainAccesses();
    if (!options.passes.empty())
      return runPasses();
    // A later phase tells less about the parameters: an integer may have been
    // a pointer.
    if (detectPhase(module) >= Phase::Linalg)
      recordKernel();
    bool hasSucceeded = succeeded(lower()) && succeeded(writeCode());
    // Also of what failed: who tries several sizes learns how far off this is.
    if (!hasSucceeded && result.kernel && options.target.isGpu())
      recordKernel();
    return success(hasSucceeded);
  }

private:
  LogicalResult explainAccesses() {
    PassManager manager(module.getContext());
    if (detectPhase(module) < Phase::Structured)
      buildExplainableAccesses(manager);
    if (failed(manager.run(module)))
      return failure();
    llvm::raw_string_ostream stream(result.artefacts[kAccessesArtefact]);
    printAccesses(module, AccessFormat::Json, stream);
    return success();
  }

  LogicalResult runPasses() {
    PassManager manager(module.getContext());
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (failed(parsePassPipeline(options.passes, manager, stream)))
      return module.emitError(StringRef(problem).trim());
    if (failed(manager.run(module)))
      return failure();
    result.artefacts[kModuleArtefact] = printModule(module);
    return success();
  }

  LogicalResult lower() {
    Phase wanted = std::min(options.getLastPhase(), Phase::Llir);
    // A module without accesses may be in a later phase than its source was.
    if (wanted != Phase::Llir && wanted == detectPhase(module))
      return record(wanted);
    auto reached = [&](Phase phase, ModuleOp) { return record(phase); };
    llvm::raw_string_ostream changes(result.artefacts[kChangesArtefact]);
    llvm::raw_string_ostream times(result.artefacts[kTimesArtefact]);
    auto configure = [&](PassManager &manager) {
      if (options.keepsChanges)
        printChanges(manager, changes);
      if (options.keepsTimes)
        printTimes(manager, times);
      return success();
    };
    return runToPhase(module, wanted, options.target, reached, configure);
  }

  LogicalResult record(Phase phase) {
    // The text of LLVM IR takes the place of its dialect's.
    if (phase != Phase::Llir || !isCode(options.getLastPhase()))
      keepText(phase);
    if (phase >= Phase::Linalg)
      recordKernel();
    if (options.dumpFolder.empty())
      return success();
    return dumpPhase(options.dumpFolder, phase, module);
  }

  void keepText(Phase phase) {
    if (!options.keepsCodeOnly)
      result.artefacts[stringifyPhase(phase)] = printModule(module);
  }

  void recordKernel() {
    FunctionOpInterface found = findKernel(module);
    if (!found || options.keepsCodeOnly)
      return;
    if (!result.kernel)
      result.kernel = describeKernel(found, options.target);
    describeHidden(found, *result.kernel);
    describeBlock(found, options.target, *result.kernel);
  }

  /// The artefact of phase `llir` is then LLVM IR, which comes with the code.
  LogicalResult writeCode() {
    if (!isCode(options.getLastPhase()))
      return success();
    if (!result.kernel && !options.keepsCodeOnly)
      return module.emitError("holds no kernel");
    LogicalResult result = failure();
    // Passes have left holes all over this heap. Instructions that lay in them
    // would lie anywhere, and each of LLVM's walks would wait for memory: of
    // 1000 loads and stores, a quarter of the time of the whole compilation.
    runOnOwnThread([&] {
      result = options.target.isGpu() ? writeGpuCode() : writeCpuCode();
    });
    return result;
  }

  LogicalResult writeCpuCode() {
    std::optional<CpuObject> object =
        writeObject(module, options.target.getCpu());
    if (!object)
      return failWithoutCode();
    result.artefacts[stringifyPhase(Phase::Llir)] = std::move(object->llvmIr);
    result.artefacts[stringifyPhase(Phase::Object)].assign(
        object->object.begin(), object->object.end());
    return success();
  }

  /// There is no text of LLVM IR: that of its dialect says what there was.
  LogicalResult failWithoutCode() {
    keepText(Phase::Llir);
    return failure();
  }

  LogicalResult writeGpuCode() {
    CudaTools tools = options.tools;
    if (tools.ptxas.empty())
      tools.ptxas = findPtxas();
    if (tools.libdevice.empty())
      tools.libdevice = findLibdevice(tools.ptxas);
    std::optional<PtxCode> code = writePtx(module, options.target, tools);
    if (!code)
      return failWithoutCode();
    result.artefacts[stringifyPhase(Phase::Llir)] = std::move(code->llvmIr);
    result.artefacts[stringifyPhase(Phase::Ptx)] = code->ptx;
    if (options.getLastPhase() == Phase::Ptx)
      return success();
    std::optional<std::string> cubin = assembleCubin(
        module, code->ptx, options.target, tools, result.assemblerLog);
    if (!cubin)
      return failure();
    result.artefacts[stringifyPhase(Phase::Cubin)] = std::move(*cubin);
    if (result.kernel)
      result.kernel->insert({"ptxas_log", result.assemblerLog});
    return success();
  }

  ModuleOp module;
  const CompileOptions &options;
  Compilation &result;
};

} // namespace

LogicalResult triton_shared::compile(ModuleOp module,
                                     const CompileOptions &options,
                                     Compilation &result) {
  return Driver(module, options, result).run();
}

std::string triton_shared::compileLlvmIr(StringRef text,
                                         const CompileOptions &options,
                                         Compilation &result) {
  std::string error;
  std::optional<SmallString<0>> code =
      writeCodeOfIr(text, options.target, options.wantsAssembly, error);
  if (!code)
    return "the LLVM IR does not compile: " + error;
  StringRef kind = options.target.isGpu()  ? stringifyPhase(Phase::Ptx)
                   : options.wantsAssembly ? StringRef(kAssemblyArtefact)
                                           : stringifyPhase(Phase::Object);
  result.artefacts[kind] = code->str().str();
  return "";
}
