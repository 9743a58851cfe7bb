//===- HoistGuards.cpp - Guards that are asked once for all turns ---------===//
//
// A persistent program computes tile after tile, and finds out before each
// whether its blocks are boxes. So no copy for a tile can begin before the one
// before it is done. Nearly always they are boxes in all tiles: for these
// programs the loop gets a form that does not ask.
//
//===----------------------------------------------------------------------===//

#include "Branches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAHOISTGUARDS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The guards in the turns of one loop.
class TurnGuards {
public:
  explicit TurnGuards(scf::ForOp loop) : loop(loop) {}

  /// False if there are none, or if their conditions need more than the number
  /// of the turn.
  bool find() {
    collect(*loop.getBody());
    return !guards.empty() && llvm::all_of(guards, [&](scf::IfOp guard) {
      return canCompute(guard.getCondition());
    });
  }

  /// Makes two loops: without guards, and as it was.
  void hoist() {
    IRMapping copies;
    createTwoForms(loop, createCondition(), copies);
    for (scf::IfOp guard : guards) {
      auto copy = cast<scf::IfOp>(copies.lookup(guard.getOperation()));
      takePart(copy, *copy.thenBlock());
    }
  }

private:
  /// Guards in `block`, and those in their first parts.
  void collect(Block &block) {
    for (auto branch : block.getOps<scf::IfOp>())
      if (branch->hasAttr(cta::kGuard)) {
        guards.push_back(branch);
        collect(*branch.thenBlock());
      }
  }

  bool canCompute(Value value) {
    if (!value.getType().isIntOrIndex())
      return false;
    if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() || !isMemoryEffectFree(op))
      return false;
    // What a guard keeps from running may run without it now.
    if (op->getBlock() != loop.getBody() && !isSpeculatable(op))
      return false;
    return !needed.insert(op).second ||
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return canCompute(operand); });
  }

  /// That all guards are true in all turns.
  Value createCondition() {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    auto turns = cta::AllTurnsOp::create(builder, loc, builder.getI1Type(),
                                         loop.getLowerBound(),
                                         loop.getUpperBound(), loop.getStep());
    Block *body =
        builder.createBlock(&turns.getBody(), {}, builder.getI32Type(), loc);
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), body->getArgument(0));
    loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (needed.contains(op))
        builder.clone(*op, mapping);
    });
    Value all;
    for (scf::IfOp guard : guards) {
      Value holds = mapping.lookupOrDefault(guard.getCondition());
      all = all ? arith::AndIOp::create(builder, loc, all, holds).getResult()
                : holds;
    }
    cta::YieldOp::create(builder, loc, all);
    return turns.getResult();
  }

  scf::ForOp loop;
  /// Those around others before these.
  SmallVector<scf::IfOp> guards;
  llvm::SmallDenseSet<Operation *> needed;
};

struct CtaHoistGuards
    : triton_shared::impl::CtaHoistGuardsBase<CtaHoistGuards> {
  void runOnOperation() override {
    SmallVector<TurnGuards> found;
    getOperation().walk([&](scf::ForOp loop) {
      if (!isOutermost(loop) || !loop.getInductionVar().getType().isInteger(32))
        return;
      TurnGuards guards(loop);
      if (guards.find())
        found.push_back(std::move(guards));
    });
    for (TurnGuards &guards : found)
      guards.hoist();
  }

private:
  static bool isOutermost(scf::ForOp loop) {
    return !loop.getUnsignedCmp() &&
           !loop->getParentOfType<LoopLikeOpInterface>();
  }
};

} // namespace
