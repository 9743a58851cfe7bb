//===- Compile.cpp - Compiling through the C interface --------------------===//
//
// One context per compilation, without threads of its own: compilations may run
// side by side and share nothing.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "ObjectSeal.h"
#include "mlir/Parser/Parser.h"
#include "triton-shared/CAPI/TritonShared.h"
#include "triton-shared/Driver/Compilation.h"
#include "triton-shared/InitAll.h"
#include "triton-shared/Pipelines/OwnThread.h"
#include "triton-shared/Target/CpuTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

struct TritonSharedCompilation : Compilation {
  bool hasSucceeded = false;
  std::string diagnostics;
  std::string metadata;
  std::string artefactNames;
};

namespace {

/// What `passes` may name, from the first time on that somebody does.
void registerPassesOnce() {
  static const bool isDone = (registerAllPasses(), true);
  (void)isDone;
}

LogicalResult compileMlir(StringRef source, const CompileOptions &options,
                          TritonSharedCompilation &result) {
  if (!options.passes.empty())
    registerPassesOnce();
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::raw_string_ostream stream(result.diagnostics);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    printDiagnostic(diagnostic, stream);
  });
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(source, config, "ttir");
  return success(module && succeeded(compile(*module, options, result)));
}

/// An object is sealed where it leaves the library.
void sealObjects(const CompileOptions &options,
                 TritonSharedCompilation &result) {
  auto object = result.artefacts.find(stringifyPhase(Phase::Object));
  if (object != result.artefacts.end())
    object->second = sealObject(object->second, options.target.getCpu());
}

void compileSource(StringRef source, const CompileOptions &options,
                   TritonSharedCompilation &result) {
  if (options.isLlvmIr) {
    std::string problem = compileLlvmIr(source, options, result);
    result.hasSucceeded = problem.empty();
    if (!problem.empty())
      result.diagnostics = "error: " + problem + "\n";
  } else {
    runOnOwnThread([&] {
      result.hasSucceeded = succeeded(compileMlir(source, options, result));
    });
  }
  if (result.kernel)
    result.metadata =
        llvm::formatv("{0}", llvm::json::Value(std::move(*result.kernel)));
  sealObjects(options, result);
  SmallVector<StringRef> names;
  for (const auto &[name, content] : result.artefacts)
    if (!content.empty())
      names.push_back(name);
  llvm::sort(names);
  result.artefactNames = llvm::join(names, " ");
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
  compileSource({source.data, source.size}, parsed, *result);
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

TritonSharedString tritonSharedCompilationListArtefacts(
    const TritonSharedCompilation *compilation) {
  return borrow(compilation->artefactNames);
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
