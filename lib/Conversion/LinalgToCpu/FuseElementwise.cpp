//===- FuseElementwise.cpp - Element-wise chains as one loop --------------===//
//
// Fuses what saves a buffer and computes nothing twice: a producer with one
// use, into a consumer that reads each of its elements once.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "triton-shared/Conversion/LinalgToCpu.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUFUSEELEMENTWISE
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

bool readsEachElementOnce(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  Operation *producer = operand->get().getDefiningOp();
  return consumer && producer && producer->hasOneUse() &&
         producer->getBlock() == consumer->getBlock() &&
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

struct CpuFuseElementwise
    : triton_shared::impl::CpuFuseElementwiseBase<CpuFuseElementwise> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns,
                                                 readsEachElementOnce);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
