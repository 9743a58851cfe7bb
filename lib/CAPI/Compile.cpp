//===- Compile.cpp - Compiling through the C interface --------------------===//
//
// One context per compilation, without threads of its own: compilations may run
// side by side and share nothing.
//
//===----------------------------------------------------------------------===//

#include "CompileOptions.h"
#include "DeepStack.h"
#include "ObjectSeal.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "triton-shared/Analysis/AccessReport.h"
#include "triton-shared/CAPI/TritonShared.h"
#include "triton-shared/Conversion/LinalgToCpu.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "triton-shared/InitAll.h"
#include "triton-shared/Pipelines/Phases.h"
#include "triton-shared/Target/CpuTarget.h"
#include "triton-shared/Target/IrCode.h"
#include "triton-shared/Target/ObjectWriter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

struct TritonSharedCompilation {
  bool hasSucceeded = false;
  llvm::StringMap<std::string> artefacts;
  std::string diagnostics;
  std::string metadata;
};

namespace {

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

StringRef describeSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("covered switch");
}

/// What the kernel's author calls the value that `location` is of, if Triton
/// has kept it.
StringRef getVariable(Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : "";
}

/// `file:line:col: error: text (variable 'x')`; without a place, the text
/// alone. A note names its variable if that is another one.
void printDiagnostic(Diagnostic &diagnostic, llvm::raw_ostream &stream,
                     StringRef known = "") {
  Location location = diagnostic.getLocation();
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    stream << place.getFilename().getValue() << ":" << place.getLine() << ":"
           << place.getColumn() << ": ";
  stream << describeSeverity(diagnostic.getSeverity()) << ": "
         << diagnostic.str();
  StringRef variable = getVariable(location);
  if (!variable.empty() && variable != known)
    stream << " (variable '" << variable << "')";
  stream << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    printDiagnostic(note, stream, variable);
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

/// The word for a parameter of a kernel.
std::string describeParameter(Type type) {
  if (isa<UnrankedMemRefType, LLVM::LLVMPointerType>(type))
    return "ptr";
  std::string word;
  llvm::raw_string_ostream(word) << type;
  return word;
}

/// The kernel of a module in phase `linalg` or later: the function that is not
/// its own entry; from phase `gpu` on, the one of the GPU's module.
FunctionOpInterface findKernel(ModuleOp module) {
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    for (auto function : kernels.getOps<gpu::GPUFuncOp>())
      if (function.isKernel())
        return function;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    bool hasEntry =
        module.lookupSymbol((function.getName() + kEntrySuffix).str());
    if (!function.isExternal() && (function.isPublic() || hasEntry) &&
        !function.getName().ends_with(kEntrySuffix) &&
        tts::KernelSignature(function).hasProgram())
      return function;
  }
  return nullptr;
}

llvm::json::Object describeKernel(FunctionOpInterface kernel,
                                  const CompileTarget &target) {
  llvm::json::Array args;
  for (Type type : tts::KernelSignature(kernel).getWrittenTypes())
    args.push_back(describeParameter(type));
  llvm::json::Object object{{"name", kernel.getName()},
                            {"args", std::move(args)}};
  object["entry"] = target.isGpu() ? kernel.getName().str()
                                   : (kernel.getName() + kEntrySuffix).str();
  return object;
}

/// What a launch passes behind the arguments of `kernel`; nothing in a phase
/// that is too early to tell.
std::optional<llvm::json::Array> describeHidden(FunctionOpInterface kernel) {
  FunctionOpInterface launched = kernel;
  if (!isa<gpu::GPUFuncOp>(kernel))
    launched = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
        kernel,
        StringAttr::get(kernel.getContext(), kernel.getName() + kEntrySuffix));
  if (!launched)
    return std::nullopt;
  llvm::json::Array hidden;
  for (tts::HiddenParameter parameter :
       tts::KernelSignature(launched).describeHidden())
    hidden.push_back(llvm::json::Object{
        {"kind", tts::stringifyParameterKind(parameter.kind)},
        {"bytes", parameter.bytes},
        {"alignment", parameter.alignment}});
  return hidden;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

class Compiler {
public:
  Compiler(TritonSharedCompilation &result, const CompileOptions &options)
      : result(result), options(options),
        context(createRegistry(), MLIRContext::Threading::DISABLED) {}

  LogicalResult run(StringRef source) {
    context.printOpOnDiagnostic(false);
    llvm::raw_string_ostream stream(result.diagnostics);
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      printDiagnostic(diagnostic, stream);
    });
    ParserConfig config(&context);
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(source, config, "ttir");
    if (!module)
      return failure();
    if (options.explainsAccesses)
      return explainAccesses(*module);
    // A later phase tells less about the parameters: an integer may have been
    // a pointer.
    if (Phase phase = detectPhase(*module); phase >= Phase::Linalg)
      recordKernel(*module);
    bool hasSucceeded =
        succeeded(lower(*module)) && succeeded(writeCode(*module));
    // Also of what failed: who tries several sizes learns how far off this is.
    if (kernel && options.target.isGpu() && !hasSucceeded)
      recordKernel(*module);
    if (kernel)
      result.metadata =
          llvm::formatv("{0}", llvm::json::Value(std::move(*kernel)));
    return success(hasSucceeded);
  }

private:
  static DialectRegistry createRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  void recordKernel(ModuleOp module) {
    FunctionOpInterface found = findKernel(module);
    if (!found)
      return;
    if (!kernel)
      kernel = describeKernel(found, options.target);
    if (auto hidden = describeHidden(found))
      (*kernel)["hidden"] = std::move(*hidden);
    if (auto shared = found->getAttrOfType<IntegerAttr>(cta::kShared)) {
      kernel->insert({"shared", shared.getInt()});
      kernel->insert({"num_warps", options.target.numWarps});
      kernel->insert({"target", "cuda:" + options.target.cudaArch});
      recordBlock(found);
    }
  }

  LogicalResult lower(ModuleOp module) {
    // A module without accesses may be in a later phase than its source was.
    Phase wanted = options.toPhase.value_or(Phase::Llir);
    if (wanted != Phase::Llir && wanted == detectPhase(module))
      return record(wanted, module);
    auto reached = [&](Phase phase, ModuleOp current) {
      return record(phase, current);
    };
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

  /// Threads of a program, and programs, that a block of the GPU has.
  void recordBlock(FunctionOpInterface found) {
    kernel->insert({"block", llvm::json::Array{*cta::getNumWarps(found) *
                                                   GpuTarget::kWarpSize,
                                               cta::getNumPrograms(found)}});
    kernel->insert({"shared_limit", options.target.getGpu().getSharedBytes()});
  }

  LogicalResult explainAccesses(ModuleOp module) {
    PassManager manager(&context);
    if (detectPhase(module) < Phase::Structured)
      buildExplainableAccesses(manager);
    if (failed(manager.run(module)))
      return failure();
    llvm::raw_string_ostream stream(result.artefacts[kAccessesArtefact]);
    printAccesses(module, AccessFormat::Json, stream);
    return success();
  }

  LogicalResult record(Phase phase, ModuleOp module) {
    result.artefacts[stringifyPhase(phase)] = printModule(module);
    if (phase >= Phase::Linalg)
      recordKernel(module);
    if (options.dumpFolder.empty())
      return success();
    return dumpPhase(options.dumpFolder, phase, module);
  }

  /// The artefact of phase `llir` is LLVM IR, which comes with the code.
  LogicalResult writeCode(ModuleOp module) {
    if (options.toPhase.value_or(Phase::Llir) != Phase::Llir)
      return success();
    if (!kernel)
      return module.emitError("holds no kernel");
    return options.target.isGpu() ? writeCubin(module) : writeObject(module);
  }

  LogicalResult writeObject(ModuleOp module) {
    CpuTarget cpu = options.target.getCpu();
    std::optional<CpuObject> object = triton_shared::writeObject(module, cpu);
    if (!object)
      return failure();
    result.artefacts[stringifyPhase(Phase::Llir)] = std::move(object->llvmIr);
    result.artefacts[kObjectPhase] =
        sealObject({object->object.data(), object->object.size()}, cpu);
    return success();
  }

  LogicalResult writeCubin(ModuleOp module) {
    std::optional<PtxCode> code =
        writePtx(module, options.target, options.tools);
    if (!code)
      return failure();
    result.artefacts[stringifyPhase(Phase::Llir)] = std::move(code->llvmIr);
    result.artefacts[kPtxPhase] = code->ptx;
    if (options.stopsAtPtx)
      return success();
    std::string log;
    std::optional<std::string> cubin =
        assembleCubin(module, code->ptx, options.target, options.tools, log);
    if (!cubin)
      return failure();
    kernel->insert({"ptxas_log", std::move(log)});
    result.artefacts[kCubinPhase] = std::move(*cubin);
    return success();
  }

  TritonSharedCompilation &result;
  const CompileOptions &options;
  MLIRContext context;
  /// What is known about the kernel, once it has been seen.
  std::optional<llvm::json::Object> kernel;
};

/// What comes after phase `llir`, from its text.
void compileIr(StringRef text, const CompileOptions &options,
               TritonSharedCompilation &result) {
  std::string error;
  std::optional<SmallString<0>> code =
      writeCodeOfIr(text, options.target, options.wantsAssembly, error);
  result.hasSucceeded = code.has_value();
  if (!code)
    result.diagnostics = "error: the LLVM IR does not compile: " + error + "\n";
  else if (options.target.isGpu())
    result.artefacts[kPtxPhase] = code->str().str();
  else if (options.wantsAssembly)
    result.artefacts[kAssemblyPhase] = code->str().str();
  else
    result.artefacts[kObjectPhase] =
        sealObject(code->str(), options.target.getCpu());
}

TritonSharedString borrow(const std::string &text) {
  return {text.data(), text.size()};
}

} // namespace

TritonSharedCompilation *tritonSharedCompile(TritonSharedString source,
                                             TritonSharedString options) {
  auto *result = new TritonSharedCompilation();
  CompileOptions parsed;
  std::string problem = parseOptions({options.data, options.size}, parsed);
  if (!problem.empty()) {
    result->diagnostics = "error: " + problem + "\n";
    return result;
  }
  if (parsed.wantsAssembly && (!parsed.isLlvmIr || parsed.target.isGpu())) {
    result->diagnostics = "error: 's' is made of LLVM IR for the CPU only\n";
    return result;
  }
  if (parsed.isLlvmIr) {
    compileIr({source.data, source.size}, parsed, *result);
    return result;
  }
  runWithDeepStack([&] {
    result->hasSucceeded =
        succeeded(Compiler(*result, parsed).run({source.data, source.size}));
  });
  return result;
}

bool tritonSharedCompilationSucceeded(
    const TritonSharedCompilation *compilation) {
  return compilation->hasSucceeded;
}

TritonSharedString
tritonSharedCompilationGetArtefact(const TritonSharedCompilation *compilation,
                                   TritonSharedString phase) {
  auto found = compilation->artefacts.find(StringRef(phase.data, phase.size));
  return found == compilation->artefacts.end() ? TritonSharedString{"", 0}
                                               : borrow(found->second);
}

TritonSharedString tritonSharedCompilationGetDiagnostics(
    const TritonSharedCompilation *compilation) {
  return borrow(compilation->diagnostics);
}

TritonSharedString
tritonSharedCompilationGetMetadata(const TritonSharedCompilation *compilation) {
  return borrow(compilation->metadata);
}

void tritonSharedCompilationDestroy(TritonSharedCompilation *compilation) {
  delete compilation;
}
