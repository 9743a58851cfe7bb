//===- AccessRemarks.cpp - What an editor shows of a text -----------------===//

#include "AccessRemarks.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "triton-shared/Driver/Compilation.h"
#include "triton-shared/InitAll.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::triton_shared;

static MLIRContext &prepare(MLIRContext &context) {
  context.disableMultithreading();
  context.printOpOnDiagnostic(false);
  return context;
}

static DialectRegistry getDialects() {
  DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

/// Operations stand where the text has them, whatever it says of the kernel.
static void placeOperations(const AsmParserState &state,
                            llvm::SourceMgr &sources) {
  for (const AsmParserState::OperationDefinition &definition :
       state.getOpDefs()) {
    auto [line, column] = sources.getLineAndColumn(definition.loc.Start);
    definition.op->setLoc(FileLineColLoc::get(definition.op->getContext(), "",
                                              line - 1, column - 1));
  }
}

static TextPlace placeOf(Location location) {
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    return {place.getLine(), place.getColumn()};
  return {0, 0};
}

std::vector<AccessRemark> triton_shared::remarkAccesses(StringRef text) {
  std::vector<AccessRemark> remarks;
  if (!text.contains("tt.func"))
    return remarks;
  MLIRContext context(getDialects());
  ScopedDiagnosticHandler handler(&prepare(context), [&](Diagnostic &said) {
    if (said.getSeverity() != DiagnosticSeverity::Remark)
      return;
    AccessRemark remark{placeOf(said.getLocation()), said.str(), {}};
    for (const Diagnostic &note : said.getNotes())
      remark.notes.emplace_back(placeOf(note.getLocation()), note.str());
    remarks.push_back(std::move(remark));
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), {});
  AsmParserState state;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  ParserConfig config(&context);
  if (failed(parseAsmSourceFile(sources, module->getBody(), config, &state)))
    return {};
  placeOperations(state, sources);
  PassManager manager(&context);
  // A text has often a module of its own, which becomes one inside of ours.
  auto inner = module->getOps<ModuleOp>();
  ModuleOp kernel = inner.empty() ? *module : *inner.begin();
  if (failed(parsePassPipeline("explain-accesses", manager)) ||
      failed(manager.run(kernel)))
    return {};
  return remarks;
}

bool triton_shared::runToPhase(StringRef text, StringRef phase, StringRef words,
                               std::string &result) {
  CompileOptions options;
  result = parseOptions(("to-phase=" + phase + " " + words).str(), options);
  if (!result.empty())
    return false;
  MLIRContext context(getDialects());
  ScopedDiagnosticHandler handler(&prepare(context), [&](Diagnostic &said) {
    result += said.str() + "\n";
  });
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, config);
  Compilation compilation;
  if (!module || failed(compile(*module, options, compilation)))
    return false;
  result = compilation.artefacts[phase];
  return !result.empty();
}
