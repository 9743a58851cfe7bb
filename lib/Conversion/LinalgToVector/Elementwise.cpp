//===- Elementwise.cpp - Element-wise operations as loops over vectors ----===//
//
// The innermost loop goes along the last dimension, one vector an iteration.
// What is the same for all of its elements is loaded in front of it.
//
//===----------------------------------------------------------------------===//

#include "VectorBody.h"
#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// How the operation is cut into vectors.
struct Shape {
  SmallVector<int64_t> sizes;
  unsigned vectorLoop;
  int64_t lanes;
};

/// True if lanes along `loop` read and write neighbours, or all the same place.
bool canUseLanes(linalg::GenericOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    LaneAccess access = getLaneAccess(op, operand, loop);
    if (access == LaneAccess::Other ||
        (op.isDpsInit(&operand) && access != LaneAccess::Contiguous))
      return false;
  }
  return true;
}

/// True if the operation does little more than read and write memory that the
/// kernel did not make.
bool isStream(linalg::GenericOp op) {
  constexpr size_t kFewSteps = 3; // One of them yields.
  return op.getBody()->getOperations().size() <= kFewSteps &&
         llvm::none_of(op->getOperands(), [](Value operand) {
           return operand.getDefiningOp<memref::AllocOp>() != nullptr;
         });
}

std::optional<Shape> chooseShape(linalg::GenericOp op, unsigned vectorBytes) {
  if (!op.hasPureBufferSemantics() || op.getNumLoops() == 0 ||
      op.getNumParallelLoops() != op.getNumLoops() || !isVectorizable(op))
    return std::nullopt;
  Shape shape;
  shape.sizes = op.getStaticLoopRanges();
  shape.vectorLoop = op.getNumLoops() - 1;
  if (llvm::any_of(shape.sizes, ShapedType::isDynamic) ||
      !canUseLanes(op, shape.vectorLoop))
    return std::nullopt;
  shape.lanes =
      chooseLanes(shape.sizes.back(), getWidestBytes(op), vectorBytes);
  if (shape.lanes < 2)
    return std::nullopt;
  return shape;
}

/// Builds the innermost loop, at `outer` of the loops around it.
void buildRow(OpBuilder &builder, linalg::GenericOp op, const Shape &shape,
              ArrayRef<Value> outer) {
  // Loads of what the row has in common stand in front of it.
  SmallVector<Value> common(op->getNumOperands());
  SmallVector<Value> rowStart(outer);
  rowStart.push_back(nullptr);
  for (OpOperand &operand : op->getOpOperands())
    if (op.payloadUsesValueFromOperand(&operand) &&
        isSameForAllLanes(op, operand, shape.vectorLoop))
      common[operand.getOperandNumber()] =
          loadLanes(builder, op, operand, rowStart, /*lanes=*/0);

  buildLoops(builder, op.getLoc(), shape.sizes.back(), shape.lanes,
             [&](OpBuilder &inner, ArrayRef<Value> column) {
               SmallVector<Value> indices(outer);
               indices.push_back(column.front());
               VectorBody body(op, shape.lanes, shape.vectorLoop, indices);
               for (OpOperand &operand : op->getOpOperands()) {
                 unsigned number = operand.getOperandNumber();
                 if (common[number])
                   body.setArgument(number, common[number]);
                 else if (op.payloadUsesValueFromOperand(&operand))
                   body.setArgument(number, loadLanes(inner, op, operand,
                                                      indices, shape.lanes));
               }
               body.build(inner);
               body.storeResults(inner, indices);
             });
}

struct VectorizeElementwise : OpRewritePattern<linalg::GenericOp> {
  VectorizeElementwise(MLIRContext *context, unsigned vectorBytes,
                       unsigned streamBytes)
      : OpRewritePattern(context), vectorBytes(vectorBytes),
        streamBytes(streamBytes) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Shape> shape =
        chooseShape(op, isStream(op) ? streamBytes : vectorBytes);
    if (!shape)
      return rewriter.notifyMatchFailure(op, "not by vectors");
    buildLoops(rewriter, op.getLoc(), ArrayRef(shape->sizes).drop_back(), {},
               [&](OpBuilder &inner, ArrayRef<Value> outer) {
                 buildRow(inner, op, *shape, outer);
               });
    rewriter.eraseOp(op);
    return success();
  }

private:
  unsigned vectorBytes, streamBytes;
};

/// `linalg.fill` of a block that lies row by row.
struct VectorizeFill : OpRewritePattern<linalg::FillOp> {
  VectorizeFill(MLIRContext *context, unsigned vectorBytes)
      : OpRewritePattern(context), vectorBytes(vectorBytes) {}

  LogicalResult matchAndRewrite(linalg::FillOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<MemRefType>(op.output().getType());
    if (!type || !type.hasStaticShape() || type.getRank() == 0 ||
        getLaneAccess(op, op.getDpsInitsMutable()[0], type.getRank() - 1) !=
            LaneAccess::Contiguous)
      return rewriter.notifyMatchFailure(op, "not row by row");
    unsigned bytes = (op.value().getType().getIntOrFloatBitWidth() + 7) / 8;
    int64_t lanes = chooseLanes(type.getShape().back(), bytes, vectorBytes);
    if (lanes < 2)
      return rewriter.notifyMatchFailure(op, "no vector fits");
    Value vector = vector::BroadcastOp::create(
        rewriter, op.getLoc(), VectorType::get(lanes, op.value().getType()),
        op.value());
    SmallVector<int64_t> steps(type.getRank(), 1);
    steps.back() = lanes;
    buildLoops(rewriter, op.getLoc(), type.getShape(), steps,
               [&](OpBuilder &inner, ArrayRef<Value> indices) {
                 vector::StoreOp::create(inner, op.getLoc(), vector,
                                         op.output(), indices);
               });
    rewriter.eraseOp(op);
    return success();
  }

private:
  unsigned vectorBytes;
};

} // namespace

void triton_shared::populateElementwiseToVector(RewritePatternSet &patterns,
                                                unsigned vectorBytes,
                                                unsigned streamBytes) {
  patterns.add<VectorizeElementwise>(patterns.getContext(), vectorBytes,
                                     streamBytes);
  patterns.add<VectorizeFill>(patterns.getContext(), vectorBytes);
}
