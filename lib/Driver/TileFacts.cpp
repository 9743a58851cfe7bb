//===- TileFacts.cpp - Which thread holds which elements ------------------===//

#include "TileFacts.h"

#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Layout/SharedAccess.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// What all banks together move in a wavefront.
static constexpr int64_t kBytesPerWavefront = 128;

static llvm::json::Array toJson(const cta::LinearLayout::Bases &bases) {
  llvm::json::Array array;
  for (const cta::Coordinates &basis : bases)
    array.push_back(llvm::json::Array(ArrayRef<int32_t>(basis)));
  return array;
}

static llvm::json::Object describeTile(RankedTensorType tile) {
  cta::LinearLayout layout = cta::getLayout(tile);
  std::string element;
  llvm::raw_string_ostream(element) << tile.getElementType();
  return llvm::json::Object{{"shape", llvm::json::Array(tile.getShape())},
                            {"element", element},
                            {"registers", toJson(layout.getRegisters())},
                            {"lanes", toJson(layout.getLanes())},
                            {"warps", toJson(layout.getWarps())}};
}

/// So many different elements a warp holds.
static int64_t countElements(const cta::LinearLayout &placed) {
  int64_t count = placed.getNumRegisters();
  for (const cta::Coordinates &basis : placed.getLanes())
    if (llvm::any_of(basis, [](int32_t value) { return value != 0; }))
      count *= 2;
  return count;
}

static llvm::json::Object describeMove(StringRef way,
                                       const cta::SharedLayout &shared,
                                       RankedTensorType tile) {
  cta::LinearLayout placed = shared.place(cta::getLayout(tile));
  int64_t bytes = cta::getElementBytes(tile);
  cta::MoveCost cost = way == "write" ? cta::getStoreCost(placed, bytes)
                                      : cta::getLoadCost(placed, bytes);
  int64_t least =
      llvm::divideCeil(countElements(placed) * bytes, kBytesPerWavefront);
  return llvm::json::Object{
      {"way", way},
      {"wavefronts", int64_t(cost.wavefronts)},
      {"least", std::min<int64_t>(least, cost.wavefronts)},
      {"instructions", int64_t(cost.instructions)}};
}

static bool isWholeSlot(cta::BufferType buffer, RankedTensorType tile) {
  return buffer.getShape() == tile.getShape() && cta::getLayoutAttr(tile);
}

static llvm::json::Array describeShared(Operation *op) {
  llvm::json::Array moves;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](cta::ConvertLayoutOp convert) {
        if (convert.getSharedBytes() == 0)
          return;
        cta::SharedLayout shared = cta::getExchangeLayout(convert);
        moves.push_back(
            describeMove("write", shared, cta::getTile(convert.getSource())));
        moves.push_back(
            describeMove("read", shared, cta::getTile(convert.getResult())));
      })
      .Case([&](cta::WriteOp write) {
        cta::BufferType buffer = write.getBuffer().getType();
        RankedTensorType tile = cta::getTile(write.getSource());
        if (isWholeSlot(buffer, tile))
          moves.push_back(
              describeMove("write", buffer.getLayout().getLayout(), tile));
      })
      .Case([&](cta::ReadOp read) {
        cta::BufferType buffer = read.getBuffer().getType();
        RankedTensorType tile = cta::getTile(read.getResult());
        // The wavefronts of a part do not depend on where it begins.
        if (cta::getLayoutAttr(tile))
          moves.push_back(
              describeMove("read", buffer.getLayout().getLayout(), tile));
      });
  return moves;
}

void triton_shared::describeTiles(Operation *op, llvm::json::Object &facts) {
  llvm::json::Array tiles;
  for (Type type : op->getResultTypes())
    if (cta::getLayoutAttr(type))
      tiles.push_back(describeTile(cast<RankedTensorType>(type)));
  if (!tiles.empty())
    facts["tiles"] = std::move(tiles);
  llvm::json::Array shared = describeShared(op);
  if (!shared.empty())
    facts["shared"] = std::move(shared);
}
