//===- ElementAccesses.cpp - Accesses element by element ------------------===//
//
// The form that every access can have: a loop over the elements that take part,
// each with its own address. Used for wrapped, gathered and masked dimensions,
// tensors of offsets, volatile reads and scalars (a loop of one).
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Which element of memory index `i` of a dimension means, before its stride.
OpFoldResult positionOf(OpBuilder &builder, Location loc,
                        const tts::DimensionAccess &dimension, Value index) {
  if (dimension.isGathered())
    return asIndex(builder, loc,
                   elementOf(builder, loc, dimension.indices, index));
  if (!dimension.isWrapped())
    return index;
  Value sum =
      indexValue(builder, loc,
                 addIndex(builder, loc,
                          asIndex(builder, loc, dimension.wrapStart), index));
  Value size =
      indexValue(builder, loc, asIndex(builder, loc, dimension.wrapSize));
  return getAsOpFoldResult(
      builder.createOrFold<arith::RemUIOp>(loc, sum, size));
}

/// The access of `tts.load` and `tts.store`. Keeps no reference to its
/// arguments, except for the shape.
ElementAccess accessByDimensions(OpBuilder &builder, Location loc, Value base,
                                 Value offset,
                                 SmallVector<tts::DimensionAccess> dimensions,
                                 ArrayRef<int64_t> shape, Value mask) {
  ElementAccess access;
  access.base = base;
  access.shape = shape;
  access.intervals = wholeBlock(builder, shape);
  for (auto [dimension, interval, size] :
       llvm::zip_equal(dimensions, access.intervals, shape))
    if (dimension.isBounded())
      interval = clampBounds(builder, loc, dimension.low, dimension.high, size);
  access.mask = mask;
  access.offsetOf = [offset, dimensions = std::move(dimensions)](
                        OpBuilder &inner, Location innerLoc,
                        ValueRange indices) {
    OpFoldResult sum = asIndex(inner, innerLoc, offset);
    for (auto [dimension, index] : llvm::zip_equal(dimensions, indices)) {
      OpFoldResult distance = multiplyIndex(
          inner, innerLoc, positionOf(inner, innerLoc, dimension, index),
          asIndex(inner, innerLoc, dimension.stride));
      sum = addIndex(inner, innerLoc, sum, distance);
    }
    return sum;
  };
  return access;
}

/// Loads a block. Elements that take no part are `other`, or zero without it:
/// undefined, but the same in every run.
Value loadBlock(OpBuilder &builder, Location loc, const ElementAccess &access,
                RankedTensorType type, Value other, bool isVolatile) {
  Value buffer = allocateBlock(builder, loc, type);
  if (!access.isComplete())
    fillBlock(builder, loc, buffer,
              other ? other : zeroOf(builder, loc, type.getElementType()));
  forEachElement(
      builder, loc, access,
      [&](OpBuilder &inner, Location innerLoc, ValueRange indices) {
        Value element =
            loadElement(inner, innerLoc, access.base,
                        access.offsetOf(inner, innerLoc, indices), isVolatile);
        memref::StoreOp::create(inner, innerLoc, element, buffer, indices);
      });
  return blockContents(builder, loc, buffer, type);
}

/// Loads a scalar, behind a branch if it is masked.
Value loadScalar(OpBuilder &builder, Location loc, const ElementAccess &access,
                 Value other, bool isVolatile) {
  auto load = [&](OpBuilder &inner, Location innerLoc) {
    return loadElement(inner, innerLoc, access.base,
                       access.offsetOf(inner, innerLoc, {}), isVolatile);
  };
  if (!access.mask)
    return load(builder, loc);
  Type type = tts::getAccessElementType(access.base.getType());
  auto branch = scf::IfOp::create(
      builder, loc, access.mask,
      [&](OpBuilder &inner, Location innerLoc) {
        scf::YieldOp::create(inner, innerLoc, load(inner, innerLoc));
      },
      [&](OpBuilder &inner, Location innerLoc) {
        scf::YieldOp::create(inner, innerLoc,
                             other ? other : zeroOf(inner, innerLoc, type));
      });
  return branch.getResult(0);
}

void storeBlock(OpBuilder &builder, Location loc, const ElementAccess &access,
                Value value) {
  forEachElement(builder, loc, access,
                 [&](OpBuilder &inner, Location innerLoc, ValueRange indices) {
                   storeElement(inner, innerLoc,
                                elementOf(inner, innerLoc, value, indices),
                                access.base,
                                access.offsetOf(inner, innerLoc, indices));
                 });
}

ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

struct LowerLoad : OpRewritePattern<tts::LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::LoadOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ElementAccess access = accessByDimensions(
        rewriter, loc, op.getBase(), op.getOffset(), op.getDimensions(),
        shapeOf(op.getResult()), op.getMask());
    auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
    rewriter.replaceOp(op, type
                               ? loadBlock(rewriter, loc, access, type,
                                           op.getOther(), op.getIsVolatile())
                               : loadScalar(rewriter, loc, access,
                                            op.getOther(), op.getIsVolatile()));
    return success();
  }
};

struct LowerStore : OpRewritePattern<tts::StoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::StoreOp op,
                                PatternRewriter &rewriter) const override {
    ElementAccess access = accessByDimensions(
        rewriter, op.getLoc(), op.getBase(), op.getOffset(), op.getDimensions(),
        shapeOf(op.getValue()), op.getMask());
    storeBlock(rewriter, op.getLoc(), access, op.getValue());
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerGather : OpRewritePattern<tts::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::GatherOp op,
                                PatternRewriter &rewriter) const override {
    ElementAccess access =
        accessByOffsets(rewriter, op.getBase(), op.getOffset(), op.getMask());
    rewriter.replaceOp(
        op, loadBlock(rewriter, op.getLoc(), access,
                      cast<RankedTensorType>(op.getResult().getType()),
                      op.getOther(), op.getIsVolatile()));
    return success();
  }
};

struct LowerScatter : OpRewritePattern<tts::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    ElementAccess access =
        accessByOffsets(rewriter, op.getBase(), op.getOffset(), op.getMask());
    storeBlock(rewriter, op.getLoc(), access, op.getValue());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

ElementAccess triton_shared::accessOf(OpBuilder &builder,
                                      tts::AccessOpInterface op) {
  RankedTensorType type = op.getTileType();
  SmallVector<tts::DimensionAccess> dimensions = op.getDimensions();
  if (dimensions.empty())
    return accessByOffsets(builder, op.getBase(), op.getOffset(), op.getMask());
  return accessByDimensions(builder, op->getLoc(), op.getBase(), op.getOffset(),
                            std::move(dimensions), type.getShape(),
                            op.getMask());
}

void triton_shared::populateElementAccesses(RewritePatternSet &patterns) {
  patterns.add<LowerLoad, LowerStore, LowerGather, LowerScatter>(
      patterns.getContext());
}
