//===- LoadEarly.cpp - Loads begin before threads meet --------------------===//
//
// Where threads tell each other their parts of a sum, all wait for the slowest
// one, and nothing behind it begins meanwhile. A load behind it that needs no
// more than numbers begins before it instead: the weights of a norm arrive
// while its row is added up.
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTALOADEARLY
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Registers of a thread, of 32 bits, that early loads may fill together. They
/// stay in use while threads meet. Measured with norms of rows: four times as
/// many spill where the row itself takes as many.
constexpr int64_t kMostRegisters = 64;
/// The same of loads of less than `kWideBytes` at once: many instructions, and
/// what they find in the cache they drop from it for the ones before them.
constexpr int64_t kMostNarrowRegisters = 8;
constexpr int64_t kWideBytes = 8;

/// True if a thread waits at `op` for what others have.
bool isExchange(Operation *op) {
  auto reduce = dyn_cast<cta::ReduceOp>(op);
  auto scan = dyn_cast<cta::ScanOp>(op);
  if (!reduce && !scan)
    return false;
  auto operands = reduce ? reduce.getSources() : scan.getSources();
  uint64_t axis = reduce ? reduce.getAxis() : scan.getAxis();
  cta::LinearLayout layout = cta::getLayout(cta::getTile(operands.front()));
  auto isAlong = [&](const cta::Coordinates &basis) { return basis[axis]; };
  return llvm::any_of(layout.getLanes(), isAlong) ||
         llvm::any_of(layout.getWarps(), isAlong);
}

/// True if loads must not pass `op`.
bool holdsBack(Operation &op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp, cta::DotOp>(op) ||
         !isMemoryEffectFree(&op);
}

/// Moves loads of one block.
class EarlyLoads {
public:
  explicit EarlyLoads(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(op);
  }

private:
  void visit(Operation &op) {
    auto load = dyn_cast<tts::LoadOp>(op);
    if (load && !load.getIsVolatile()) {
      if (!place)
        lastLoad = load;
      else if (canMove(load) && fits(load))
        move(load);
    } else if (holdsBack(op)) {
      lastLoad = nullptr;
      place = nullptr;
      registers = narrowRegisters = 0;
    } else if (!place && isExchange(&op)) {
      place = findPlace(op);
    }
  }

  /// The first that needs the last load before `exchange`.
  Operation *findPlace(Operation &exchange) {
    Operation *first = &exchange;
    if (lastLoad)
      for (Operation *user : lastLoad->getUsers()) {
        Operation *op = exchange.getBlock()->findAncestorOpInBlock(*user);
        if (op && op->isBeforeInBlock(first))
          first = op;
      }
    return first;
  }

  /// True if threads have registers for it all that time.
  bool fits(tts::LoadOp load) {
    int64_t held = 1, bytes = kWideBytes;
    Type element = load.getResult().getType();
    if (auto tile = dyn_cast<RankedTensorType>(element)) {
      element = tile.getElementType();
      cta::LinearLayout layout = cta::getLayout(tile);
      held = layout.getNumRegisters();
      unsigned most = 1;
      for (int64_t dim = 0; dim < tile.getRank(); ++dim)
        most = std::max(most, layout.countNeighbours(dim));
      bytes = most * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
    }
    int64_t bits = held * element.getIntOrFloatBitWidth();
    bool isWide = bytes >= kWideBytes;
    int64_t &used = isWide ? registers : narrowRegisters;
    int64_t needed = llvm::divideCeil(bits, 32);
    if (used + needed > (isWide ? kMostRegisters : kMostNarrowRegisters))
      return false;
    used += needed;
    return true;
  }

  /// True if nothing that it is computed from waits for threads, either.
  bool canMove(tts::LoadOp load) {
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) {
      return op->getBlock() == place->getBlock() && !op->isBeforeInBlock(place);
    };
    llvm::SetVector<Operation *> needed;
    return succeeded(getBackwardSlice(load.getOperation(), &needed, options)) &&
           llvm::none_of(needed, isExchange);
  }

  void move(tts::LoadOp load) {
    IRRewriter rewriter(load.getContext());
    if (succeeded(moveOperationDependencies(rewriter, load, place)))
      rewriter.moveOpBefore(load, place);
  }

  /// The last load that has no exchange before it, of those that nothing holds
  /// back.
  tts::LoadOp lastLoad;
  /// Loads go before it; null if there is no exchange yet.
  Operation *place = nullptr;
  int64_t registers = 0, narrowRegisters = 0;
};

struct CtaLoadEarly : triton_shared::impl::CtaLoadEarlyBase<CtaLoadEarly> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (cta::getNumWarps(function))
        function.walk([](Block *block) { EarlyLoads moved(*block); });
  }
};

} // namespace
