//===- TritonStructureControlFlow.cpp - Branches become regions -----------===//
//
// A `return` in the middle of a kernel reaches us as branches between blocks.
// Upstream's lifting turns them into scf; this file says which operations end a
// function and what stands after a loop that never ends.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONSTRUCTURECONTROLFLOW
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
namespace tt = mlir::triton;

namespace {

/// Upstream's scf operations, with the terminators of `tt`.
struct TritonControlFlow : ControlFlowToSCFTransformation {
  /// What follows a loop without an exit: a return of nothing in particular.
  FailureOr<Operation *> createUnreachableTerminator(Location loc,
                                                     OpBuilder &builder,
                                                     Region &region) override {
    Operation *owner = region.getParentOp();
    if (auto function = dyn_cast<tt::FuncOp>(owner)) {
      SmallVector<Value> results =
          makePoison(loc, builder, function.getResultTypes());
      return tt::ReturnOp::create(builder, loc, results).getOperation();
    }
    auto map = cast<tt::MapElementwiseOp>(owner);
    SmallVector<Type> types;
    for (Type type : map.getResultTypes())
      types.append(map.getPack(), getElementTypeOrSelf(type));
    SmallVector<Value> results = makePoison(loc, builder, types);
    return tt::MapElementwiseReturnOp::create(builder, loc, results)
        .getOperation();
  }

private:
  SmallVector<Value> makePoison(Location loc, OpBuilder &builder,
                                TypeRange types) {
    return llvm::map_to_vector(
        types, [&](Type type) { return getUndefValue(loc, builder, type); });
  }
};

/// Upstream leaves broken IR behind what it can not lift: find that before.
LogicalResult checkTerminators(Region &region) {
  for (Block &block : region) {
    Operation *end = block.getTerminator();
    if (isa<cf::BranchOp, cf::CondBranchOp, cf::SwitchOp, tt::ReturnOp,
            tt::MapElementwiseReturnOp>(end))
      continue;
    InFlightDiagnostic diagnostic =
        end->emitOpError("ends a block, and can not be structured");
    diagnostic.attachNote(region.getLoc())
        << "in here, 'cf' branches and returns can end a block";
    diagnostic.attachNote(end->getLoc())
        << "write the control flow with if, for, while and return";
    return diagnostic;
  }
  return success();
}

/// Lifts the branches of one region.
LogicalResult structure(Region &region) {
  if (region.empty() || region.hasOneBlock())
    return success();
  IRRewriter rewriter(region.getContext());
  (void)eraseUnreachableBlocks(rewriter, region);
  if (failed(checkTerminators(region)))
    return failure();
  TritonControlFlow interface;
  DominanceInfo dominance(region.getParentOp());
  return failure(failed(transformCFGToSCF(region, interface, dominance)));
}

struct TritonStructureControlFlow
    : triton_shared::impl::TritonStructureControlFlowBase<
          TritonStructureControlFlow> {
  void runOnOperation() override {
    // Inner regions first, so that an outer block moves finished code.
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (!isa<tt::FuncOp, tt::MapElementwiseOp>(op))
        return WalkResult::advance();
      return WalkResult(structure(op->getRegion(0)));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
