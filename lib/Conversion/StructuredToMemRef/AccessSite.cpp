//===- AccessSite.cpp - What a report says about an access ----------------===//

#include "AccessSite.h"

#include "triton-shared/Analysis/SourcePlaces.h"
#include "triton-shared/Dialect/Structured/IR/ElementBytes.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

int64_t triton_shared::getElementBytes(tts::AccessOpInterface op) {
  return tts::getElementBytes(
      tts::getAccessElementType(op.getBase().getType()));
}

std::string triton_shared::describeSite(tts::AccessOpInterface op) {
  llvm::json::Array shape;
  if (RankedTensorType type = op.getTileType())
    for (int64_t size : type.getShape())
      shape.push_back(size);
  std::string element;
  llvm::raw_string_ostream(element)
      << tts::getAccessElementType(op.getBase().getType());
  llvm::json::Object site{{"kind", op->getName().stripDialect()},
                          {"element", element},
                          {"bytes", getElementBytes(op)},
                          {"shape", std::move(shape)}};
  bool isBounded =
      llvm::any_of(op.getDimensions(), [](const tts::DimensionAccess &each) {
        return each.isBounded();
      });
  if (op.getMask() || isBounded)
    site["masked"] = true;
  if (isIndex(op->getLoc()))
    site["index"] = true;
  describeSource(op->getLoc(), site);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(site));
  return text;
}
