//===- TakeTurns.cpp - One group multiplies while another one computes ----===//
//
// Groups of four warps that begin a loop together stay together: all multiply,
// and share the tensor cores, then these rest while all compute. If each group
// waits for its turn, the tensor cores always have one to multiply for. Where
// they need long, each group also has its next product begun before it
// computes.
//
//===----------------------------------------------------------------------===//

#include "LastingDot.h"
#include "TurnAhead.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTATAKETURNS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// True if all groups wait for each other in `op`, or may do when it is taken
/// apart.
static bool meets(Operation *op) {
  auto ofCta = dyn_cast<cta::CtaOpInterface>(op);
  return isa<gpu::BarrierOp>(op) ||
         (ofCta && (ofCta.isBarrier() || ofCta.getSharedBytes() != 0));
}

namespace {

/// The products between which a turn of a loop computes longest: the tensor
/// cores are left to others from the first one on, and taken back for the next.
struct Pause {
  cta::DotOp before, after;
};

struct CtaTakeTurns : triton_shared::impl::CtaTakeTurnsBase<CtaTakeTurns> {
  void runOnOperation() override {
    SmallVector<cta::SpecializeOp> parted;
    getOperation().walk([&](cta::SpecializeOp op) { parted.push_back(op); });
    for (cta::SpecializeOp op : parted)
      if (*cta::getNumWarps(op->getParentOfType<func::FuncOp>()) >
          GpuTarget::kWarpgroupWarps)
        takeTurns(op.getConsumers().front());
  }

private:
  static void takeTurns(Block &consumers) {
    SmallVector<std::pair<scf::ForOp, Pause>> found;
    consumers.walk([&](scf::ForOp loop) {
      if (std::optional<Pause> pause = findPause(loop))
        found.emplace_back(loop, *pause);
    });
    if (found.empty())
      return;
    for (auto [loop, pause] : found)
      takeTurns(loop, pause);
    Location loc = consumers.getParentOp()->getLoc();
    auto builder = OpBuilder::atBlockBegin(&consumers);
    cta::PassTurnOp::create(builder, loc, /*first=*/true);
    builder.setInsertionPoint(consumers.getTerminator());
    cta::WaitTurnOp::create(builder, loc, /*first=*/true);
  }

  static std::optional<Pause> findPause(scf::ForOp loop) {
    bool doMeet = loop.walk([](Operation *op) {
                        return meets(op) ? WalkResult::interrupt()
                                         : WalkResult::advance();
                      })
                      .wasInterrupted();
    std::optional<Pause> longest;
    cta::DotOp last;
    int64_t most = 0, powers = 0;
    for (Operation &op : loop.getBody()->without_terminator()) {
      powers += countPowers(op);
      auto dot = dyn_cast<cta::DotOp>(op);
      if (!dot)
        continue;
      if (last && !last.getGoesOn() && powers > most) {
        longest = {last, dot};
        most = powers;
      }
      last = dot;
      powers = 0;
    }
    return doMeet ? std::nullopt : longest;
  }

  /// What takes long beside products.
  static int64_t countPowers(Operation &op) {
    if (!isa<math::ExpOp, math::Exp2Op>(op))
      return 0;
    auto tile = dyn_cast<RankedTensorType>(op.getResult(0).getType());
    return tile ? tile.getNumElements() : 0;
  }

  static void takeTurns(scf::ForOp loop, Pause pause) {
    if (auto turns = TurnAhead::find(loop, pause.before, pause.after)) {
      AheadProducts made = turns->move();
      takeTurn(made.begin, made.begin);
      takeTurn(made.ahead, made.last);
      takeTurn(made.end, made.end);
      return;
    }
    OpBuilder builder(pause.after);
    cta::WaitTurnOp::create(builder, pause.after.getLoc(), /*first=*/false);
    // The next group begins to multiply when this one is about to end.
    builder.setInsertionPointAfter(pause.before);
    cta::PassTurnOp::create(builder, pause.before.getLoc(), /*first=*/false);
    letGoOn(builder, pause.before, 0);
    builder.setInsertionPoint(loop);
    cta::WaitTurnOp::create(builder, loop.getLoc(), /*first=*/false);
    builder.setInsertionPointAfter(loop);
    cta::PassTurnOp::create(builder, loop.getLoc(), /*first=*/false);
  }

  /// Products from `from` to `to`, which go on, are begun in one turn.
  static void takeTurn(cta::DotOp from, cta::DotOp to) {
    OpBuilder builder(from);
    cta::WaitTurnOp::create(builder, from.getLoc(), /*first=*/false);
    builder.setInsertionPointAfter(to);
    cta::PassTurnOp::create(builder, to.getLoc(), /*first=*/false);
  }
};

} // namespace
