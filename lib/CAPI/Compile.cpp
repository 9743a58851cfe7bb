//===- Compile.cpp - Compiling through the C interface --------------------===//
//
// One context per compilation, without threads of its own: compilations may run
// side by side and share nothing.
//
//===----------------------------------------------------------------------===//

#include "DeepStack.h"
#include "ObjectSeal.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "triton-shared/Analysis/AccessReport.h"
#include "triton-shared/CAPI/TritonShared.h"
#include "triton-shared/Conversion/LinalgToCpu.h"
#include "triton-shared/InitAll.h"
#include "triton-shared/Pipelines/Phases.h"
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

constexpr StringRef kObjectPhase = "obj";
constexpr StringRef kAccessesArtefact = "accesses";
constexpr unsigned kProgramArguments = 6;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

struct CompileOptions {
  /// Nothing if it is an object file.
  std::optional<Phase> toPhase;
  /// Empty for no dumps.
  std::string dumpFolder;
  /// Says how memory is accessed, and compiles nothing.
  bool explainsAccesses = false;
};

/// Reads `word=value` words. Gives what is wrong with them, or nothing.
std::string parseOptions(StringRef text, CompileOptions &options) {
  SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  for (StringRef word : words) {
    auto [name, value] = word.split('=');
    if (name == "mode") {
      if (value != "reference")
        return "unknown value '" + value.str() +
               "' of option 'mode'; use reference";
    } else if (name == "to-phase") {
      options.toPhase = symbolizePhase(value);
      if (!options.toPhase && value != kObjectPhase)
        return "unknown value '" + value.str() +
               "' of option 'to-phase'; use " + listPhases().str() + ", or obj";
    } else if (name == "dump-dir") {
      options.dumpFolder = value.str();
    } else if (name == "explain") {
      if (value != kAccessesArtefact)
        return "unknown value '" + value.str() +
               "' of option 'explain'; use accesses";
      options.explainsAccesses = true;
    } else {
      return "unknown option '" + name.str() +
             "'; use mode, to-phase, dump-dir or explain";
    }
  }
  return "";
}

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

/// `file:line:col: error: text`; without a place, the text alone.
void printDiagnostic(Diagnostic &diagnostic, llvm::raw_ostream &stream) {
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    stream << place.getFilename().getValue() << ":" << place.getLine() << ":"
           << place.getColumn() << ": ";
  stream << describeSeverity(diagnostic.getSeverity()) << ": "
         << diagnostic.str() << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    printDiagnostic(note, stream);
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
/// its own entry.
FunctionOpInterface findKernel(ModuleOp module) {
  for (auto function : module.getOps<FunctionOpInterface>()) {
    bool hasEntry =
        module.lookupSymbol((function.getName() + kEntrySuffix).str());
    if (!function.isExternal() && (function.isPublic() || hasEntry) &&
        !function.getName().ends_with(kEntrySuffix) &&
        function.getNumArguments() >= kProgramArguments)
      return function;
  }
  return nullptr;
}

std::string describeKernel(FunctionOpInterface kernel) {
  llvm::json::Array args;
  for (Type type : kernel.getArgumentTypes().drop_back(kProgramArguments))
    args.push_back(describeParameter(type));
  llvm::json::Object object{{"name", kernel.getName()},
                            {"entry", (kernel.getName() + kEntrySuffix).str()},
                            {"args", std::move(args)}};
  return llvm::formatv("{0}", llvm::json::Value(std::move(object)));
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
    auto reached = [&](Phase phase, ModuleOp current) {
      return record(phase, current);
    };
    if (failed(runToPhase(*module, options.toPhase.value_or(Phase::Llir),
                          reached)))
      return failure();
    // The artefact of phase `llir` is LLVM IR, which comes with the object.
    if (options.toPhase.value_or(Phase::Llir) != Phase::Llir)
      return success();
    return writeObject(*module);
  }

private:
  static DialectRegistry createRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  void recordKernel(ModuleOp module) {
    if (FunctionOpInterface kernel = findKernel(module);
        kernel && result.metadata.empty())
      result.metadata = describeKernel(kernel);
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

  LogicalResult writeObject(ModuleOp module) {
    if (result.metadata.empty())
      return module.emitError("holds no kernel");
    std::optional<HostObject> object = writeHostObject(module);
    if (!object)
      return failure();
    result.artefacts[stringifyPhase(Phase::Llir)] = std::move(object->llvmIr);
    result.artefacts[kObjectPhase] =
        sealObject({object->object.data(), object->object.size()});
    return success();
  }

  TritonSharedCompilation &result;
  const CompileOptions &options;
  MLIRContext context;
};

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
