//===- SourcePlaces.cpp - Where an operation stands in a kernel -----------===//

#include "triton-shared/Analysis/SourcePlaces.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct Source {
  SmallVector<FileLineColLoc> places;
  StringRef name;

  void add(Location loc) {
    if (auto file = dyn_cast<FileLineColLoc>(loc)) {
      places.push_back(file);
    } else if (auto named = dyn_cast<NameLoc>(loc)) {
      if (name.empty())
        name = named.getName().getValue();
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

  /// Nobody can change Triton's own functions.
  void leaveOutLibrary() {
    auto isLibrary = [](FileLineColLoc place) {
      return place.getFilename().getValue().contains("triton/language/");
    };
    if (!llvm::all_of(places, isLibrary))
      llvm::erase_if(places, isLibrary);
  }
};

} // namespace

void triton_shared::describeSource(Location location,
                                   llvm::json::Object &object) {
  Source source;
  source.add(location);
  source.leaveOutLibrary();
  llvm::json::Array places;
  for (FileLineColLoc place : source.places)
    places.push_back(
        llvm::json::Object{{"file", place.getFilename().getValue()},
                           {"line", place.getLine()},
                           {"column", place.getColumn()}});
  object["name"] = source.name;
  object["places"] = std::move(places);
}

static StringAttr getIndexMark(MLIRContext *context) {
  return StringAttr::get(context, "index");
}

Location triton_shared::markIndex(Location location) {
  return FusedLoc::get({location}, getIndexMark(location.getContext()),
                       location.getContext());
}

bool triton_shared::isIndex(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  return fused && fused.getMetadata() == getIndexMark(location.getContext());
}
