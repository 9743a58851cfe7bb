//===- Copies.cpp - Copies of memory as loops over vectors ----------------===//
//
// Rows of known length are whole vectors. Rows of unknown length, as bounds
// leave them, end with a masked vector.
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

bool hasRows(MemRefType type) {
  return type.getRank() > 0 && type.isLastDimUnitStride() &&
         !type.getElementType().isInteger(1);
}

struct VectorizeCopy : OpRewritePattern<memref::CopyOp> {
  VectorizeCopy(MLIRContext *context, unsigned vectorBytes)
      : OpRewritePattern(context), vectorBytes(vectorBytes) {}

  LogicalResult matchAndRewrite(memref::CopyOp op,
                                PatternRewriter &rewriter) const override {
    auto source = dyn_cast<MemRefType>(op.getSource().getType());
    auto target = dyn_cast<MemRefType>(op.getTarget().getType());
    if (!source || !target || !hasRows(source) || !hasRows(target))
      return rewriter.notifyMatchFailure(op, "not row by row");
    Type element = source.getElementType();
    unsigned bytes =
        element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
    int64_t length = std::max(source.getShape().back(),
                              target.getShape().back()); // Dynamic is below 0.
    int64_t most = std::max(1u, vectorBytes / bytes);
    // A row of odd length is better off with a mask than with scalars.
    bool isMasked =
        ShapedType::isDynamic(length) ||
        (length % most != 0 && !llvm::isPowerOf2_64(uint64_t(length)));
    int64_t lanes = isMasked ? most : chooseLanes(length, bytes, vectorBytes);
    if (lanes < 2)
      return rewriter.notifyMatchFailure(op, "no vector fits");
    copyRows(rewriter, op, VectorType::get(lanes, element), isMasked);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void copyRows(OpBuilder &builder, memref::CopyOp op, VectorType type,
                       bool isMasked) {
    Location loc = op.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    int64_t rank = cast<MemRefType>(op.getSource().getType()).getRank();
    SmallVector<Value> lows(rank, constant(0)), steps(rank, constant(1)), ends;
    for (int64_t dimension = 0; dimension < rank; ++dimension)
      ends.push_back(
          builder.createOrFold<memref::DimOp>(loc, op.getSource(), dimension));
    steps.back() = constant(type.getNumElements());
    scf::buildLoopNest(builder, loc, lows, ends, steps,
                       [&](OpBuilder &inner, Location at, ValueRange indices) {
                         if (isMasked)
                           copyMasked(inner, op, type, ends.back(), indices);
                         else
                           copyWhole(inner, op, type, indices);
                       });
  }

  static void copyWhole(OpBuilder &builder, memref::CopyOp op, VectorType type,
                        ValueRange indices) {
    Value lanes = vector::LoadOp::create(builder, op.getLoc(), type,
                                         op.getSource(), indices);
    vector::StoreOp::create(builder, op.getLoc(), lanes, op.getTarget(),
                            indices);
  }

  static void copyMasked(OpBuilder &builder, memref::CopyOp op, VectorType type,
                         Value end, ValueRange indices) {
    Location loc = op.getLoc();
    Value left = arith::SubIOp::create(builder, loc, end, indices.back());
    Value mask = vector::CreateMaskOp::create(
        builder, loc, type.clone(builder.getI1Type()), left);
    Value nothing =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    Value lanes = vector::MaskedLoadOp::create(
        builder, loc, type, op.getSource(), indices, mask, nothing);
    vector::MaskedStoreOp::create(builder, loc, op.getTarget(), indices, mask,
                                  lanes);
  }

  unsigned vectorBytes;
};

} // namespace

void triton_shared::populateCopiesToVector(RewritePatternSet &patterns,
                                           unsigned vectorBytes) {
  patterns.add<VectorizeCopy>(patterns.getContext(), vectorBytes);
}
