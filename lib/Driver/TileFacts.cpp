//===- TileFacts.cpp - Which thread holds which elements ------------------===//

#include "TileFacts.h"

#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Layout/SharedAccess.h"
#include "triton-shared/Transforms/TileNeighbours.h"
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

/// What it takes to move `bytes` in all.
static llvm::json::Object describeCost(StringRef way, cta::MoveCost cost,
                                       int64_t bytes) {
  int64_t least = llvm::divideCeil(bytes, kBytesPerWavefront);
  return llvm::json::Object{
      {"way", way},
      {"wavefronts", int64_t(cost.wavefronts)},
      {"least", std::min<int64_t>(least, cost.wavefronts)},
      {"instructions", int64_t(cost.instructions)}};
}

/// Where in a slot of `buffer` the elements of `tile` lie.
static cta::LinearLayout place(cta::BufferType buffer, Type tile) {
  return buffer.getLayout().getLayout().place(cta::getLayout(tile));
}

/// `op` moves elements of so many `bytes` between threads and the places of
/// shared memory.
static llvm::json::Object describeMove(Operation *op, StringRef way,
                                       const cta::LinearLayout &placed,
                                       int64_t bytes) {
  cta::MoveCost cost =
      way == "write"
          ? cta::getStoreCost(placed, bytes, cta::hasMatrixStores(op))
          : cta::getLoadCost(placed, bytes);
  return describeCost(way, cost, countElements(placed) * bytes);
}

/// `cp.async` writes for each lane what it has read at once.
static llvm::json::Object describeCopy(cta::CopyOp copy, unsigned maxElements) {
  cta::BufferType buffer = copy.getBuffer().getType();
  auto load = cast<tts::LoadOp>(copy.getLoad().front().front());
  cta::LinearLayout placed = place(buffer, load.getType());
  int64_t bytes = cta::getElementBytes(buffer.getElementType());
  cta::MoveCost cost = cta::getPiecesCost(placed, bytes, maxElements);
  return describeCost("cp.async", cost, countElements(placed) * bytes);
}

/// The copy engine as if it were a warp whose lanes take 16 bytes each, in the
/// order in which they lie in the tensor.
template <typename BoxOp>
static llvm::json::Object describeBox(StringRef way, BoxOp op) {
  cta::BufferType buffer = op.getBuffer().getType();
  int64_t bytes = cta::getElementBytes(buffer.getElementType());
  cta::LinearLayout::Bases registers, lanes, rest;
  int64_t inPiece = GpuTarget::kBytesPerAccess / bytes;
  int64_t taken = 1;
  for (auto [dim, size] :
       llvm::reverse(llvm::zip_equal(op.getDims(), op.getPiece())))
    for (int64_t step = 1; step < size; step *= 2, taken *= 2) {
      cta::Coordinates basis =
          cta::getStep(buffer.getShape().size(), dim, step);
      if (taken < inPiece)
        registers.push_back(basis);
      else if (lanes.size() < cta::kLaneBits)
        lanes.push_back(basis);
      else
        rest.push_back(basis);
    }
  llvm::append_range(registers, rest);
  unsigned rank = buffer.getShape().size();
  lanes.resize(cta::kLaneBits, cta::Coordinates(rank, 0));
  cta::LinearLayout placed = buffer.getLayout().getLayout().place(
      cta::LinearLayout(rank, registers, lanes, {}));
  cta::MoveCost cost = cta::getPiecesCost(placed, bytes, inPiece);
  return describeCost(way, cost, taken * bytes);
}

static bool isWholeSlot(cta::BufferType buffer, RankedTensorType tile) {
  return buffer.getShape() == tile.getShape() && cta::getLayoutAttr(tile);
}

TileFacts::TileFacts(ModuleOp module) {
  DataFlowSolver solver;
  bool isSolved = false;
  module.walk([&](cta::CopyOp copy) {
    if (!isSolved && failed(runDivisibilityAnalysis(solver, module)))
      return WalkResult::interrupt();
    isSolved = true;
    auto load = cast<tts::LoadOp>(copy.getLoad().front().front());
    copied[copy] = describeMaskedWidth(solver, load).uniform;
    return WalkResult::advance();
  });
}

llvm::json::Array TileFacts::describeShared(Operation *op) const {
  llvm::json::Array moves;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](cta::ConvertLayoutOp convert) {
        if (convert.getSharedBytes() == 0)
          return;
        cta::ExchangeRounds rounds = cta::getRounds(convert);
        cta::SharedLayout shared = cta::getExchangeLayout(convert, rounds);
        int64_t bytes = cta::getElementBytes(convert.getType());
        for (unsigned round = 0; round < rounds.count(); ++round) {
          moves.push_back(
              describeMove(op, "write", shared.place(rounds.from), bytes));
          moves.push_back(
              describeMove(op, "read", shared.place(rounds.to), bytes));
        }
      })
      .Case([&](cta::WriteOp write) {
        cta::BufferType buffer = write.getBuffer().getType();
        RankedTensorType tile = cta::getTile(write.getSource());
        if (isWholeSlot(buffer, tile))
          moves.push_back(describeMove(op, "write", place(buffer, tile),
                                       cta::getElementBytes(tile)));
      })
      .Case([&](cta::ReadOp read) {
        cta::BufferType buffer = read.getBuffer().getType();
        RankedTensorType tile = cta::getTile(read.getResult());
        // The wavefronts of a part do not depend on where it begins.
        if (cta::getLayoutAttr(tile))
          moves.push_back(describeMove(op, "read", place(buffer, tile),
                                       cta::getElementBytes(tile)));
      })
      .Case([&](cta::CopyOp copy) {
        if (unsigned maxElements = copied.lookup(copy))
          moves.push_back(describeCopy(copy, maxElements));
      })
      .Case([&](cta::CopyBoxOp copy) {
        moves.push_back(describeBox("TMA write", copy));
      })
      .Case([&](cta::StoreBoxOp store) {
        moves.push_back(describeBox("TMA read", store));
      });
  return moves;
}

void TileFacts::describe(Operation *op, llvm::json::Object &facts) const {
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
