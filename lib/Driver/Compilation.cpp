//===- Compilation.cpp - From a source to all that it becomes -------------===//

#include "triton-shared/Driver/Compilation.h"

#include "TileFacts.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "triton-shared/Analysis/AccessReport.h"
#include "triton-shared/Analysis/LaunchCost.h"
#include "triton-shared/Analysis/SourcePlaces.h"
#include "triton-shared/Analysis/UseAnalysis.h"
#include "triton-shared/Driver/KernelFacts.h"
#include "triton-shared/Driver/PlacedText.h"
#include "triton-shared/Pipelines/OwnThread.h"
#include "triton-shared/Pipelines/RecordPasses.h"
#include "triton-shared/Target/CpuTarget.h"
#include "triton-shared/Target/CudaToolkit.h"
#include "triton-shared/Target/IrCode.h"
#include "triton-shared/Target/ObjectWriter.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// Where upstream's pass looks for the file of a callee.
static bool hasFile(Location location) {
  return llvm::TypeSwitch<Location, bool>(location)
      .Case<FileLineColLoc>([](auto) { return true; })
      .Case<NameLoc>([](NameLoc loc) { return hasFile(loc.getChildLoc()); })
      .Case<CallSiteLoc>([](CallSiteLoc l) { return hasFile(l.getCaller()); })
      .Case<FusedLoc>(
          [](FusedLoc loc) { return hasFile(loc.getLocations().front()); })
      .Default([](Location) { return false; });
}

/// Triton knows no place of some operations in functions of its own, and
/// upstream's pass takes a place for granted: the call's place is theirs.
static void leaveCalleesWithoutFile(Operation *op) {
  auto call = dyn_cast<CallSiteLoc>(op->getLoc());
  while (call && !hasFile(call.getCallee())) {
    op->setLoc(call.getCaller());
    call = dyn_cast<CallSiteLoc>(op->getLoc());
  }
}

namespace {

std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

StringRef stringify(Use use) {
  switch (use) {
  case Use::None:
    return "none";
  case Use::Meta:
    return "address";
  case Use::Data:
    return "data";
  case Use::Mixed:
    return "both";
  }
  llvm_unreachable("covered switch");
}

/// The module with accesses by offsets, and what its values are for.
llvm::json::Object describeUses(ModuleOp module) {
  llvm::DenseMap<Operation *, UseAnalysis *> ofFunctions;
  std::vector<std::unique_ptr<UseAnalysis>> analyses;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal()) {
      analyses.push_back(std::make_unique<UseAnalysis>(function));
      ofFunctions[function] = analyses.back().get();
    }
  return placeText(module, [&](Operation *op, llvm::json::Object &facts) {
    UseAnalysis *uses =
        ofFunctions.lookup(op->getParentOfType<FunctionOpInterface>());
    if (!uses || op->getNumResults() == 0)
      return;
    int all = 0;
    for (Value result : op->getResults())
      all |= static_cast<int>(uses->getUse(result));
    facts["use"] = stringify(static_cast<Use>(all));
  });
}

/// Null where a count is not known, with the reason beside it.
llvm::json::Object toJson(const LaunchCost &cost) {
  llvm::json::Object object{{"flops", cost.operations}, {"bytes", cost.bytes}};
  if (cost.unknown)
    object["flops"] = nullptr;
  std::optional<UnknownCost> why =
      cost.unknown ? cost.unknown : cost.unknownBytes;
  if (!why)
    return object;
  object["bytes"] = nullptr;
  llvm::json::Object reason{{"reason", why->reason},
                            {"op", why->culprit->getName().getStringRef()}};
  describeSource(why->culprit->getLoc(), reason);
  object["why"] = std::move(reason);
  return object;
}

std::string toText(llvm::json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

class Driver {
public:
  Driver(ModuleOp module, const CompileOptions &options, Compilation &result)
      : module(module), options(options), result(result) {}

  LogicalResult run() {
    if (options.explainsAccesses)
      return explainAccesses();
    if (options.countsCost)
      return explainCost();
    if (!options.passes.empty())
      return runPasses();
    // A later phase tells less about the parameters: an integer may have been
    // a pointer.
    if (detectPhase(module) >= Phase::Linalg)
      recordKernel();
    bool hasSucceeded = succeeded(lower()) && succeeded(writeCode());
    if (options.keepsPlaces)
      result.artefacts[kPlacesArtefact] = toText(std::move(placed));
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
    result.artefacts[kOffsetsArtefact] = toText(describeUses(module));
    return success();
  }

  LogicalResult explainCost() {
    if (failed(runToPhase(module, Phase::Linalg, options.target)))
      return failure();
    FunctionOpInterface kernel = findKernel(module);
    if (!kernel)
      return module.emitError("holds no kernel");
    result.artefacts[kCostArtefact] =
        toText(toJson(countCost(kernel, options.launch)));
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
    std::optional<PassRecords> records;
    if (options.keepsPasses)
      records.emplace(module);
    auto reached = [&](Phase phase, ModuleOp) {
      if (records)
        records->close(phase);
      return record(phase);
    };
    llvm::raw_string_ostream changes(result.artefacts[kChangesArtefact]);
    llvm::raw_string_ostream times(result.artefacts[kTimesArtefact]);
    auto configure = [&](PassManager &manager) {
      if (options.keepsChanges)
        printChanges(manager, changes);
      if (options.keepsTimes)
        printTimes(manager, times);
      if (records)
        records->attach(manager);
      return success();
    };
    bool looksAtModules =
        options.keepsChanges || options.keepsTimes || records.has_value();
    LogicalResult done = runToPhase(module, wanted, options.target, reached,
                                    configure, /*keepsWhole=*/looksAtModules);
    if (records)
      result.artefacts[kPassesArtefact] = toText(records->take());
    return done;
  }

  void place(Phase phase, llvm::json::Object text) {
    text["phase"] = stringifyPhase(phase);
    placed.push_back(std::move(text));
  }

  void placeTiles(Phase phase) {
    TileFacts tiles(module);
    auto describe = [&](Operation *op, llvm::json::Object &facts) {
      tiles.describe(op, facts);
    };
    place(phase, placeText(module, describe));
  }

  LogicalResult record(Phase phase) {
    bool isReplaced = phase == Phase::Llir && isCode(options.getLastPhase());
    if (options.keepsPlaces && !isReplaced)
      placeTiles(phase);
    // The text of LLVM IR takes the place of its dialect's.
    if (!isReplaced)
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
    if (options.keepsLines && failed(addLines()))
      return failure();
    LogicalResult result = failure();
    // Passes have left holes all over this heap. Instructions that lay in them
    // would lie anywhere, and each of LLVM's walks would wait for memory: of
    // 1000 loads and stores, a quarter of the time of the whole compilation.
    runOnOwnThread([&] {
      result = options.target.isGpu() ? writeGpuCode() : writeCpuCode();
    });
    return result;
  }

  /// Functions that know their file let LLVM keep places.
  LogicalResult addLines() {
    module.walk([](Operation *op) { leaveCalleesWithoutFile(op); });
    PassManager manager(module.getContext());
    LLVM::DIScopeForLLVMFuncOpPassOptions lines;
    // Of code with tables, ptxas makes what debuggers want: it is not
    // optimised.
    if (options.target.isGpu())
      lines.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
    manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass(lines));
    return manager.run(module);
  }

  void keepLlvmIr(std::string text, ArrayRef<IrLine> lines) {
    if (options.keepsPlaces)
      place(Phase::Llir, placeText(text, lines));
    result.artefacts[stringifyPhase(Phase::Llir)] = std::move(text);
  }

  LogicalResult writeCpuCode() {
    std::optional<CpuObject> object =
        writeObject(module, options.target.getCpu());
    if (!object)
      return failWithoutCode();
    keepLlvmIr(std::move(object->llvmIr), object->llvmIrLines);
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
    keepLlvmIr(std::move(code->llvmIr), code->llvmIrLines);
    std::string &ptx = result.artefacts[stringifyPhase(Phase::Ptx)];
    ptx = std::move(code->ptx);
    if (options.getLastPhase() == Phase::Ptx)
      return success();
    std::optional<std::string> cubin =
        assembleCubin(module, ptx, options.target, tools, result.assemblerLog);
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
  /// Texts of phases with places, if they are kept.
  llvm::json::Array placed;
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
