//===- AccessSite.cpp - What a report says about an access ----------------===//

#include "AccessSite.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Where something stands in the kernel, and which variable it is.
struct Source {
  llvm::json::Array places;
  std::string name;

  void add(Location loc) {
    if (auto file = dyn_cast<FileLineColLoc>(loc)) {
      places.push_back(
          llvm::json::Object{{"file", file.getFilename().getValue()},
                             {"line", file.getLine()},
                             {"column", file.getColumn()}});
    } else if (auto named = dyn_cast<NameLoc>(loc)) {
      if (name.empty())
        name = named.getName().str();
      add(named.getChildLoc());
    } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
      add(call.getCallee());
      add(call.getCaller());
    } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
      // Where several operations became one, any of them will do.
      if (!fused.getLocations().empty())
        add(fused.getLocations().front());
    }
  }
};

} // namespace

int64_t triton_shared::getElementBytes(tts::AccessOpInterface op) {
  Type type = tts::getAccessElementType(op.getBase().getType());
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

std::string triton_shared::describeSite(tts::AccessOpInterface op) {
  Source source;
  source.add(op->getLoc());
  llvm::json::Array shape;
  if (RankedTensorType type = op.getTileType())
    for (int64_t size : type.getShape())
      shape.push_back(size);
  std::string element;
  llvm::raw_string_ostream(element)
      << tts::getAccessElementType(op.getBase().getType());
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(
      llvm::json::Object{{"kind", op->getName().stripDialect()},
                         {"element", element},
                         {"bytes", getElementBytes(op)},
                         {"shape", std::move(shape)},
                         {"name", source.name},
                         {"places", std::move(source.places)}});
  return text;
}
