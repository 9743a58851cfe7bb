//===- AccessRemarks.cpp - What an editor shows of a text -----------------===//

#include "AccessRemarks.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "triton-shared/Analysis/DescribeIndex.h"
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

static Location placeOf(MLIRContext *context, llvm::SMRange range,
                        const llvm::SourceMgr &sources) {
  auto [line, column] = sources.getLineAndColumn(range.Start);
  return FileLineColLoc::get(context, "", line - 1, column - 1);
}

/// "%x"; what is said of the value calls it that.
static StringRef nameOf(const AsmParserState::SMDefinition &definition) {
  const char *begin = definition.loc.Start.getPointer();
  return {begin, size_t(definition.loc.End.getPointer() - begin)};
}

static void placeOperation(const AsmParserState::OperationDefinition &found,
                           const llvm::SourceMgr &sources) {
  MLIRContext *context = found.op->getContext();
  Location place = placeOf(context, found.loc, sources);
  if (!found.resultGroups.empty()) {
    StringRef name = nameOf(found.resultGroups.front().definition);
    place = NameLoc::get(StringAttr::get(context, name), place);
  }
  found.op->setLoc(place);
}

static void placeArguments(const AsmParserState::BlockDefinition &found,
                           const llvm::SourceMgr &sources) {
  MLIRContext *context = found.block->getParentOp()->getContext();
  auto loop = dyn_cast<LoopLikeOpInterface>(found.block->getParentOp());
  for (auto [argument, definition] :
       llvm::zip(found.block->getArguments(), found.arguments)) {
    StringRef name = nameOf(definition);
    argument.setLoc(NameLoc::get(StringAttr::get(context, name),
                                 placeOf(context, definition.loc, sources)));
    if (loop && loop.getSingleInductionVar() == Value(argument))
      loop->setLoc(nameInductionVariable(loop.getLoc(), name));
  }
}

/// Values stand where the text has them and are called as they are there,
/// whatever it says of the kernel.
static void placeValues(const AsmParserState &state,
                        const llvm::SourceMgr &sources) {
  for (const AsmParserState::OperationDefinition &found : state.getOpDefs())
    placeOperation(found, sources);
  for (const AsmParserState::BlockDefinition &found : state.getBlockDefs())
    placeArguments(found, sources);
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
  placeValues(state, sources);
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
