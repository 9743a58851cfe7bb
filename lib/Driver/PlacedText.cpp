//===- PlacedText.cpp - Where each operation stands in a text -------------===//

#include "triton-shared/Driver/PlacedText.h"

#include "mlir/IR/AsmState.h"
#include "triton-shared/Analysis/SourcePlaces.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

llvm::json::Object triton_shared::placeText(ModuleOp module, AddFacts add) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  AsmState::LocationMap lines;
  AsmState state(module, OpPrintingFlags().printNameLocAsPrefix(), &lines);
  module->print(stream, state);

  llvm::json::Array operations;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto found = lines.find(op);
    // What is implied, as the end of a block without results, is not printed.
    if (op == module || found == lines.end())
      return;
    llvm::json::Object object{{"line", found->second.first},
                              {"op", op->getName().getStringRef()}};
    describeSource(op->getLoc(), object);
    if (add)
      add(op, object);
    operations.push_back(std::move(object));
  });
  return llvm::json::Object{{"text", std::move(text)},
                            {"operations", std::move(operations)}};
}

llvm::json::Object triton_shared::placeText(StringRef llvmIr,
                                            ArrayRef<IrLine> lines) {
  llvm::json::Array operations;
  for (const IrLine &line : lines) {
    llvm::json::Array places;
    for (const IrPlace &place : line.places)
      places.push_back(llvm::json::Object{{"file", place.file},
                                          {"line", place.line},
                                          {"column", place.column}});
    operations.push_back(llvm::json::Object{{"line", line.line},
                                            {"op", line.opcode},
                                            {"name", ""},
                                            {"places", std::move(places)}});
  }
  return llvm::json::Object{{"text", llvmIr},
                            {"operations", std::move(operations)}};
}
