//===- GuardBlocks.cpp - Blocks that lie inside of their tensor -----------===//
//
// A tensor descriptor has sizes of which nothing is known, so that each element
// of a row has a bound of its own, and may have to be moved by itself. Most
// blocks lie inside of their tensor: for those an access has another form,
// without bounds, as wide as the descriptor's strides let it be.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/AccessWidth.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAGUARDBLOCKS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// True if threads move a block as a descriptor says, and nothing else.
bool isThroughDescriptor(tts::AccessOpInterface access) {
  return isa<tts::LoadOp, tts::StoreOp>(access) &&
         access->hasAttr(tts::kThroughDescriptor) && !access.getMask() &&
         access.getTileType() && !access->getParentOfType<cta::CopyOp>();
}

/// True if bounds alone keep threads from moving several elements at once.
bool isCutByBounds(tts::AccessOpInterface access,
                   const DataFlowSolver &solver) {
  AccessWidth width = describeAccessWidth(solver, access);
  return width.elements > 1 && !width.isUniform();
}

/// That all elements of the block are within its bounds.
Value createIsInside(OpBuilder &builder, tts::AccessOpInterface access) {
  Location loc = access.getLoc();
  Value inside;
  auto require = [&](arith::CmpIPredicate predicate, Value bound,
                     int64_t number) {
    Value constant = arith::ConstantIntOp::create(builder, loc, number, 64);
    Value holds =
        arith::CmpIOp::create(builder, loc, predicate, bound, constant);
    inside =
        inside ? arith::AndIOp::create(builder, loc, inside, holds) : holds;
  };
  for (auto [dimension, size] :
       llvm::zip_equal(access.getDimensions(), access.getTileType().getShape()))
    if (dimension.isBounded()) {
      require(arith::CmpIPredicate::sle, dimension.low, 0);
      require(arith::CmpIPredicate::sge, dimension.high, size);
    }
  return inside;
}

/// The same access of a block that has no bounds.
Operation *createWhole(OpBuilder &builder, tts::AccessOpInterface access) {
  SmallVector<tts::DimensionAccess> dimensions = access.getDimensions();
  for (tts::DimensionAccess &dimension : dimensions)
    dimension.low = dimension.high = nullptr;
  if (auto load = dyn_cast<tts::LoadOp>(*access))
    return load.cloneWith(builder, load.getOffset(), dimensions);
  return cast<tts::StoreOp>(*access).cloneWith(builder, dimensions);
}

void guard(tts::AccessOpInterface access) {
  OpBuilder builder(access);
  Location loc = access.getLoc();
  auto choice = scf::IfOp::create(builder, loc, access->getResultTypes(),
                                  createIsInside(builder, access),
                                  /*withElseRegion=*/true);
  access->replaceAllUsesWith(choice.getResults());
  for (Block *block : {choice.thenBlock(), choice.elseBlock()}) {
    builder.setInsertionPointToStart(block);
    Operation *op = access;
    if (block == choice.thenBlock())
      op = createWhole(builder, access);
    else
      op->moveBefore(block, block->begin());
    if (!op->getNumResults())
      continue;
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, loc, op->getResults());
  }
}

struct CtaGuardBlocks
    : triton_shared::impl::CtaGuardBlocksBase<CtaGuardBlocks> {
  void runOnOperation() override {
    SmallVector<tts::AccessOpInterface> found;
    getOperation().walk([&](tts::AccessOpInterface access) {
      if (isThroughDescriptor(access))
        found.push_back(access);
    });
    if (found.empty())
      return;
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return signalPassFailure();
    // What is known about values holds before the first access changes.
    llvm::erase_if(found, [&](tts::AccessOpInterface access) {
      return !isCutByBounds(access, solver);
    });
    for (tts::AccessOpInterface access : found)
      guard(access);
  }
};

} // namespace
