//===- PrintAccessReport.cpp - Reports of accesses as text and JSON -------===//

#include "mlir/IR/Location.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Analysis/AccessReport.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/Support/JSON.h"

#include <array>

using namespace mlir;
using namespace mlir::triton_shared;

static void addPlace(llvm::json::Object &object, Location location) {
  if (auto place = location->findInstanceOf<FileLineColLoc>()) {
    object["file"] = place.getFilename().getValue();
    object["line"] = place.getLine();
    object["column"] = place.getColumn();
  }
}

static llvm::json::Object toJson(const Unstructured &why) {
  llvm::json::Object object{{"reason", why.reason}};
  if (auto name = why.culprit.getLoc()->findInstanceOf<NameLoc>())
    object["name"] = name.getName().getValue();
  addPlace(object, why.culprit.getLoc());
  return object;
}

static llvm::json::Object toJson(const DimensionReport &dimension) {
  llvm::json::Object object{{"size", dimension.size},
                            {"stride", dimension.stride}};
  if (!dimension.wrap.empty())
    object["wrap"] = dimension.wrap;
  if (dimension.isGathered)
    object["by_index"] = true;
  if (!dimension.high.empty())
    object["bounds"] = llvm::json::Array{dimension.low, dimension.high};
  return object;
}

/// The parameter that memory is reached from, if it is one.
static void addBase(Operation *op, llvm::json::Object &object) {
  auto access = cast<tts::AccessOpInterface>(op);
  auto base = dyn_cast_or_null<BlockArgument>(access.getBase());
  if (!base || !isa<FunctionOpInterface>(base.getOwner()->getParentOp()))
    return;
  auto name = base.getLoc()->findInstanceOf<NameLoc>();
  object["base"] = name ? name.getName().getValue().str()
                        : "arg" + std::to_string(base.getArgNumber());
}

static llvm::json::Object toJson(const LoopReport &loop) {
  llvm::json::Object object{{"variable", loop.variable}};
  addPlace(object, loop.op->getLoc());
  return object;
}

static llvm::json::Object toJson(const AccessReport &report, StringRef kernel) {
  llvm::json::Array dimensions, masks, loops;
  for (const LoopReport &loop : report.loops)
    loops.push_back(toJson(loop));
  for (const DimensionReport &dimension : report.dimensions)
    dimensions.push_back(toJson(dimension));
  for (const Unstructured &mask : report.masks)
    masks.push_back(toJson(mask));
  llvm::json::Object object{{"kernel", kernel},
                            {"access", report.noun},
                            {"kind", stringify(report.kind)},
                            {"shape", llvm::json::Array(report.shape)},
                            {"dimensions", std::move(dimensions)}};
  if (!report.offset.empty())
    object["offset"] = report.offset;
  addBase(report.op, object);
  if (report.why) {
    object["why"] = toJson(*report.why);
    object["way_out"] = getWayOut(*report.why);
  }
  if (!report.masks.empty())
    object["masks"] = std::move(masks);
  if (!report.loops.empty())
    object["loops"] = std::move(loops);
  addPlace(object, report.op->getLoc());
  return object;
}

void triton_shared::printAccesses(Operation *module, AccessFormat format,
                                  raw_ostream &stream) {
  module->walk([&](FunctionOpInterface function) {
    if (function.isExternal())
      return;
    std::array<int64_t, kNumAccessKinds> counts = {};
    for (const AccessReport &report : reportAccesses(function)) {
      ++counts[static_cast<size_t>(report.kind)];
      if (format == AccessFormat::Json)
        stream << llvm::json::Value(toJson(report, function.getName())) << "\n";
    }
    llvm::json::Object object{{"kernel", function.getName()}};
    std::string text = function.getName().str() + ":";
    for (auto [kind, count] : llvm::enumerate(counts)) {
      StringRef name = stringify(static_cast<AccessKind>(kind));
      object[name] = count;
      if (count != 0)
        text += (" " + llvm::Twine(count) + " " + name + ",").str();
    }
    if (format == AccessFormat::Json)
      stream << llvm::json::Value(
                    llvm::json::Object{{"counts", std::move(object)}})
             << "\n";
    else
      stream << StringRef(text).rtrim(",") << "\n";
  });
}
