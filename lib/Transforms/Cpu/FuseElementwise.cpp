//===- FuseElementwise.cpp - Element-wise chains as one loop --------------===//
//
// A producer is fused into its consumer
// - if nobody else uses it, and the consumer reads each element once: nothing
//   is computed twice, and a buffer is saved;
// - if computing it again costs less than its buffer: it is made of indices
//   alone, as a mask is, or it is a few operations on the elements of a block
//   that is there anyway, as a row less its mean is.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUFUSEELEMENTWISE
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Operations that are worth a buffer.
constexpr unsigned kMostOperations = 8;

/// Operations of one body. Each step of a fusion copies the body: without an
/// end, the time that a long chain takes would grow with its square.
constexpr unsigned kMostTogether = 256;

/// Blocks that one loop reads. The buffers of all of them live at once, and the
/// pieces that long code is split into (`cpu-split-functions`) hand them on.
constexpr unsigned kMostRead = 32;

/// Floats that are rounded by several instructions.
bool isSmallFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// True if `op` takes an instruction or two for a vector of elements.
bool isCheap(Operation &op) {
  return llvm::none_of(op.getOperandTypes(), isSmallFloat) &&
         isa<linalg::IndexOp, arith::IndexCastOp, arith::AddIOp, arith::SubIOp,
             arith::MulIOp, arith::CmpIOp, arith::AndIOp, arith::OrIOp,
             arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::ConstantOp,
             arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::CmpFOp,
             arith::SelectOp>(op);
}

/// The operations of `producer`; none if it does more than compute each element
/// of its only result by a few cheap ones.
std::optional<unsigned> countCheapOperations(linalg::GenericOp producer) {
  if (producer.getNumDpsInits() != 1 ||
      producer.getNumParallelLoops() != producer.getNumLoops() ||
      producer.payloadUsesValueFromOperand(
          &*producer.getDpsInitsMutable().begin()))
    return std::nullopt;
  auto ops = producer.getBody()->without_terminator();
  unsigned count = llvm::range_size(ops);
  if (count > kMostOperations || !llvm::all_of(ops, isCheap))
    return std::nullopt;
  return count;
}

/// How many blocks `op` reads a new element of in each turn of its innermost
/// loop.
unsigned countBlocksRead(linalg::GenericOp op) {
  unsigned innermost = op.getNumLoops() - 1;
  return llvm::count_if(op.getDpsInputOperands(), [&](OpOperand *input) {
    return isa<ShapedType>(input->get().getType()) &&
           op.getMatchingIndexingMap(input).isFunctionOfDim(innermost);
  });
}

/// True for a consumer beside its producer that reads each element once.
bool readsEachElementOnce(OpOperand *operand, Operation *producer) {
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return consumer && consumer.isDpsInput(operand) &&
         producer->getBlock() == consumer->getBlock() &&
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

bool isOnlyUse(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse() &&
         readsEachElementOnce(operand, producer);
}

/// True if the consumer with its producer in it has a body of ordinary size.
bool staysSmall(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return consumer && producer &&
         consumer.getBody()->getOperations().size() +
                 producer.getBody()->getOperations().size() <=
             kMostTogether &&
         consumer.getNumDpsInputs() + producer.getNumDpsInputs() <= kMostRead;
}

/// Fuses a producer that reads no block, however often it is read.
bool readsIndices(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return consumer && producer && countCheapOperations(producer) &&
         llvm::none_of(
             producer.getDpsInputs(),
             [](Value input) { return isa<ShapedType>(input.getType()); }) &&
         consumer.getMatchingIndexingMap(operand).isProjectedPermutation();
}

/// True if `map` takes dimensions in the order of the loops, none or each once:
/// an operand that lies as the loops go.
bool isInOrder(AffineMap map) {
  return map.isProjectedPermutation() &&
         llvm::is_sorted(map.getResults(), [](AffineExpr lhs, AffineExpr rhs) {
           return cast<AffineDimExpr>(lhs).getPosition() <
                  cast<AffineDimExpr>(rhs).getPosition();
         });
}

/// Fuses a producer that reads one block, if that is the end of its buffer and
/// all its consumers together compute little again.
bool readsOneBlock(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  if (!producer || producer.getNumLoops() == 0 ||
      countBlocksRead(producer) > 1 ||
      !llvm::all_of(producer.getIndexingMapsArray(), isInOrder) ||
      !llvm::all_of(producer->getUses(), [&](OpOperand &use) {
        return readsEachElementOnce(&use, producer);
      }))
    return false;
  std::optional<unsigned> count = countCheapOperations(producer);
  SmallPtrSet<Operation *, 4> users(producer->user_begin(),
                                    producer->user_end());
  return count && *count * (users.size() - 1) <= kMostOperations;
}

/// For each dimension that `op` expands, the one that has its elements: all
/// others have one. Nothing if elements of a dimension are spread over several.
std::optional<SmallVector<unsigned>> findLongDims(tensor::ExpandShapeOp op) {
  SmallVector<unsigned> dims;
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    auto isLong = [&](int64_t dim) { return shape[dim] != 1; };
    if (llvm::count_if(group, isLong) > 1)
      return std::nullopt;
    const int64_t *found = llvm::find_if(group, isLong);
    dims.push_back(found == group.end() ? group.front() : *found);
  }
  return dims;
}

/// A block made of indices alone is computed with the dimensions of one element
/// that it gets: columns, `arange(0, N)[None, :]`, are fused into what takes
/// them, in a loop, too.
struct ExpandIndices : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getSrc().getDefiningOp<linalg::GenericOp>();
    std::optional<SmallVector<unsigned>> dims = findLongDims(op);
    if (!producer || !dims || !countCheapOperations(producer) ||
        producer.getNumDpsInputs() != 0 ||
        !producer.getIndexingMapsArray().front().isIdentity() ||
        !op.getResultType().hasStaticShape())
      return rewriter.notifyMatchFailure(op, "is no block made of indices");
    Location loc = producer.getLoc();
    RankedTensorType type = op.getResultType();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, ValueRange());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto expanded = linalg::GenericOp::create(
        rewriter, loc, type, ValueRange(), empty,
        rewriter.getMultiDimIdentityMap(type.getRank()), loops);
    rewriter.cloneRegionBefore(producer.getRegion(), expanded.getRegion(),
                               expanded.getRegion().begin());
    expanded.walk([&](linalg::IndexOp index) {
      rewriter.modifyOpInPlace(index,
                               [&] { index.setDim((*dims)[index.getDim()]); });
    });
    rewriter.replaceOp(op, expanded.getResults());
    return success();
  }
};

struct CpuFuseElementwise
    : triton_shared::impl::CpuFuseElementwiseBase<CpuFuseElementwise> {
  void runOnOperation() override {
    auto isFree = [](OpOperand *operand) {
      return (isOnlyUse(operand) || readsIndices(operand)) &&
             staysSmall(operand);
    };
    auto isCheapAgain = [&](OpOperand *operand) {
      return isFree(operand) || (readsOneBlock(operand) && staysSmall(operand));
    };
    // First what computes nothing twice: what a producer has taken in by then
    // counts when it is asked whether computing it again is cheap. Then
    // producers before their consumers, for the same reason: the other way
    // round, each block of a chain would be computed from the first one.
    if (failed(fuse(isFree, /*isTopDown=*/false)) ||
        failed(fuse(isCheapAgain, /*isTopDown=*/true)))
      signalPassFailure();
  }

private:
  LogicalResult fuse(const linalg::ControlFusionFn &mayFuse, bool isTopDown) {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, mayFuse);
    patterns.add<ExpandIndices>(&getContext());
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(isTopDown);
    return applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
};

} // namespace
