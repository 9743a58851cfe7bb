//===- AllocateShared.cpp - Where exchanges happen, and when --------------===//
//
// Exchanges use two places in turn. One that follows another at the other place
// needs no barrier: the barrier inside of it has everyone past the reads of the
// one before. A barrier is needed where the same place may still be read.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Conversion/LinalgToGpu.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAALLOCATESHARED
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// Tiles begin where the widest access may.
static constexpr int64_t kAlignment = 16;

int64_t triton_shared::getSharedBytes(Operation *op) {
  auto ofTile = [&](Value tile) {
    return SharedTile(op, cast<RankedTensorType>(tile.getType())).getBytes();
  };
  return TypeSwitch<Operation *, int64_t>(op)
      .Case<cta::ConvertLayoutOp>([&](cta::ConvertLayoutOp convert) {
        auto from = cta::getLayout(convert.getSource().getType());
        return from.findRegisters(cta::getLayout(convert.getType()))
                   ? 0
                   : ofTile(convert.getSource());
      })
      .Case<cta::LookupOp>(
          [&](cta::LookupOp lookup) { return ofTile(lookup.getSource()); })
      .Case<cta::ExtractOp>([&](cta::ExtractOp extract) -> int64_t {
        auto type = cast<RankedTensorType>(extract.getSource().getType());
        return type.getNumElements() == 1 ? 0 : ofTile(extract.getSource());
      })
      .Case<cta::HistogramOp>([&](cta::HistogramOp histogram) {
        return ofTile(histogram.getResult());
      })
      .Case<cta::ReduceOp>(getReduceSharedBytes)
      .Case<cta::ScanOp>(getScanSharedBytes)
      .Case<cta::DotOp>(getDotSharedBytes)
      .Case<tts::AtomicRMWOp, tts::AtomicCASOp, tts::AtomicPollOp>(
          [](Operation *atomic) { return getAtomicSharedBytes(atomic); })
      .Default(int64_t(0));
}

namespace {

/// Which places other threads may still be reading.
struct PendingReads {
  bool first = false, second = false;

  bool &at(bool isSecond) { return isSecond ? second : first; }
  bool operator==(const PendingReads &other) const {
    return first == other.first && second == other.second;
  }
  void join(const PendingReads &other) {
    first |= other.first;
    second |= other.second;
  }
};

struct CtaAllocateShared
    : triton_shared::impl::CtaAllocateSharedBase<CtaAllocateShared> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(cta::kNumWarps))
        allocate(function);
  }

private:
  void allocate(func::FuncOp function) {
    SmallVector<Operation *> exchanges;
    function.walk([&](Operation *op) {
      if (getSharedBytes(op) > 0)
        exchanges.push_back(op);
    });
    int64_t sizes[2] = {0, 0};
    for (auto [number, op] : llvm::enumerate(exchanges))
      sizes[number % 2] = std::max(
          sizes[number % 2],
          static_cast<int64_t>(llvm::alignTo(getSharedBytes(op), kAlignment)));
    Builder builder(&getContext());
    for (auto [number, op] : llvm::enumerate(exchanges)) {
      isSecond[op] = number % 2;
      op->setAttr(kSharedOffset,
                  builder.getI64IntegerAttr(number % 2 ? sizes[0] : 0));
    }
    function->setAttr(cta::kShared,
                      builder.getI64IntegerAttr(sizes[0] + sizes[1]));
    PendingReads none;
    insertBarriers(function.getBody().front(), none);
  }

  /// Follows `block` from the state at its begin to that at its end.
  void insertBarriers(Block &block, PendingReads &state) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // One that the program asks for, or of an earlier turn of a loop.
      if (isa<gpu::BarrierOp>(op))
        state = PendingReads();
      if (op.getNumRegions() && !isa<cta::ReduceOp, cta::ScanOp>(op))
        insertBarriersInRegions(op, state);
      auto found = isSecond.find(&op);
      if (found == isSecond.end())
        continue;
      if (state.at(found->second)) {
        OpBuilder builder(&op);
        gpu::BarrierOp::create(builder, op.getLoc());
      }
      state = PendingReads();
      state.at(found->second) = true;
    }
  }

  /// A region may run not at all and, but for that of a branch, after itself.
  void insertBarriersInRegions(Operation &op, PendingReads &state) {
    PendingReads before;
    do {
      before = state;
      for (Region &region : op.getRegions())
        for (Block &block : region) {
          PendingReads inside = state;
          insertBarriers(block, inside);
          state.join(inside);
        }
    } while (!isa<scf::IfOp>(op) && !(before == state));
  }

  DenseMap<Operation *, bool> isSecond;
};

} // namespace
