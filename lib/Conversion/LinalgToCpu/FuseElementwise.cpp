//===- FuseElementwise.cpp - Element-wise chains as one loop --------------===//
//
// Fuses what saves a buffer: a producer with one use, into a consumer that
// reads each of its elements once, so that nothing is computed twice; and what
// is made of indices alone, such as a mask, which costs less than a buffer.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// Operations on indices that are worth a buffer.
constexpr unsigned kMostIndexOperations = 8;

/// True if `producer` reads no block, and computes little.
bool isMadeOfIndices(linalg::GenericOp producer) {
  if (producer.getNumDpsInits() != 1 ||
      producer.getNumParallelLoops() != producer.getNumLoops() ||
      producer.payloadUsesValueFromOperand(
          &*producer.getDpsInitsMutable().begin()) ||
      llvm::any_of(producer.getDpsInputs(), [](Value input) {
        return isa<ShapedType>(input.getType());
      }))
    return false;
  unsigned count = 0;
  for (Operation &op : producer.getBody()->without_terminator()) {
    bool isCheap =
        isa<linalg::IndexOp, arith::IndexCastOp, arith::AddIOp, arith::SubIOp,
            arith::MulIOp, arith::CmpIOp, arith::AndIOp, arith::OrIOp,
            arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::ConstantOp>(
            op);
    if (!isCheap || ++count > kMostIndexOperations)
      return false;
  }
  return true;
}

/// Fuses such a producer however often it is read.
bool readsIndices(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return consumer && producer && isMadeOfIndices(producer) &&
         consumer.getMatchingIndexingMap(operand).isProjectedPermutation();
}

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
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) {
          return readsEachElementOnce(operand) || readsIndices(operand);
        });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
