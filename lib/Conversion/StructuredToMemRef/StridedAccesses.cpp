//===- StridedAccesses.cpp - Strided blocks as views and copies -----------===//
//
// A block whose dimensions are strided is a view of memory: loading it is one
// copy into a buffer, storing it one copy out of a tensor. Bounds become
// subviews of both sides.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The part of a block that takes part in an access.
struct Part {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  bool isWhole(ArrayRef<int64_t> shape) const {
    return llvm::all_of(llvm::zip_equal(sizes, shape), [](auto pair) {
      return isConstantIntValue(std::get<0>(pair), std::get<1>(pair));
    });
  }
};

Part boundedPart(OpBuilder &builder, Location loc,
                 ArrayRef<tts::DimensionAccess> dimensions,
                 ArrayRef<int64_t> shape) {
  Part part;
  for (auto [dimension, size] : llvm::zip_equal(dimensions, shape)) {
    OpFoldResult offset = builder.getIndexAttr(0);
    OpFoldResult extent = builder.getIndexAttr(size);
    if (dimension.isBounded()) {
      Interval interval =
          clampBounds(builder, loc, dimension.low, dimension.high, size);
      // Where nothing takes part, a view must still start inside the block.
      offset = smallerIndex(builder, loc, interval.low,
                            builder.getIndexAttr(size - 1));
      extent = subtractIndex(builder, loc, interval.high, interval.low);
    }
    part.offsets.push_back(offset);
    part.sizes.push_back(extent);
    part.strides.push_back(builder.getIndexAttr(1));
  }
  return part;
}

/// True if the block is a view of memory: nothing wrapped, gathered or masked.
bool isStrided(ArrayRef<tts::DimensionAccess> dimensions, Value mask) {
  return !mask && !dimensions.empty() &&
         llvm::none_of(dimensions, [](const tts::DimensionAccess &dimension) {
           return dimension.isWrapped() || dimension.isGathered();
         });
}

Value viewPart(OpBuilder &builder, Location loc, Value block,
               const Part &part) {
  return memref::SubViewOp::create(builder, loc, block, part.offsets,
                                   part.sizes, part.strides);
}

/// The offset of the first element of `part`, if all of it is known.
std::optional<int64_t> firstOffset(OpFoldResult offset,
                                   ArrayRef<OpFoldResult> strides,
                                   const Part &part) {
  std::optional<int64_t> sum = getConstantIntValue(offset);
  for (auto [index, stride] : llvm::zip_equal(part.offsets, strides)) {
    std::optional<int64_t> count = getConstantIntValue(index);
    std::optional<int64_t> step = getConstantIntValue(stride);
    if (!sum || !count || (!step && *count != 0))
      return std::nullopt;
    *sum += *count * step.value_or(0);
  }
  return sum;
}

/// The part of a block in memory as a memref.
Value viewBlock(OpBuilder &builder, Location loc, Value base, Value start,
                ArrayRef<tts::DimensionAccess> dimensions,
                ArrayRef<int64_t> shape, const Part &part) {
  OpFoldResult offset = asIndex(builder, loc, start);
  SmallVector<OpFoldResult> strides;
  for (const tts::DimensionAccess &dimension : dimensions)
    strides.push_back(asIndex(builder, loc, dimension.stride));
  // A view of memory that starts before its base is one of its own.
  std::optional<int64_t> first = firstOffset(offset, strides, part);
  if (first && *first < 0)
    return viewMemory(builder, loc, base, builder.getIndexAttr(*first),
                      part.sizes, strides);
  Value block =
      viewMemory(builder, loc, base, offset,
                 getAsIndexOpFoldResult(builder.getContext(), shape), strides);
  return part.isWhole(shape) ? block : viewPart(builder, loc, block, part);
}

/// Fills what the copy of `part` will not: all of the buffer, but only if the
/// part is smaller than the block. Without `other` these elements are
/// undefined; zero makes them the same in every run.
void fillOutside(OpBuilder &builder, Location loc, Value buffer,
                 const Part &part, Value other) {
  auto type = cast<MemRefType>(buffer.getType());
  Value isPartial;
  for (auto [extent, size] : llvm::zip_equal(part.sizes, type.getShape())) {
    if (isConstantIntValue(extent, size))
      continue;
    Value isShort = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt,
        indexValue(builder, loc, extent),
        indexValue(builder, loc, builder.getIndexAttr(size)));
    isPartial = isPartial
                    ? arith::OrIOp::create(builder, loc, isPartial, isShort)
                    : isShort;
  }
  if (!other)
    other = zeroOf(builder, loc, type.getElementType());
  scf::IfOp::create(builder, loc, isPartial,
                    [&](OpBuilder &inner, Location innerLoc) {
                      fillBlock(inner, innerLoc, buffer, other);
                      scf::YieldOp::create(inner, innerLoc);
                    });
}

/// ```mlir
/// %t = tts.load %p[%o] strides [1] bounds [0] from (%zero) to (%n)
///        other %x : f32 : memref<*xf32> -> tensor<8xf32>
/// ```
/// becomes, with `%m` the clamped `%n`,
/// ```mlir
/// %view = memref.reinterpret_cast %p to offset: [%o], sizes: [8], strides: [1]
/// %from = memref.subview %view[0] [%m] [1]
/// %alloc = memref.alloc() : memref<8xf32>
/// scf.if (%m < 8) { linalg.fill ins(%x) outs(%alloc) }
/// %to = memref.subview %alloc[0] [%m] [1]
/// memref.copy %from, %to
/// %t = bufferization.to_tensor %alloc restrict writable
/// ```
/// An unbounded load copies the whole view.
struct LowerStridedLoad : OpRewritePattern<tts::LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::LoadOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<tts::DimensionAccess> dimensions = op.getDimensions();
    auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
    if (!type || !isStrided(dimensions, op.getMask()) || op.getIsVolatile())
      return rewriter.notifyMatchFailure(op, "not a view of memory");
    Location loc = op.getLoc();
    Part part = boundedPart(rewriter, loc, dimensions, type.getShape());
    Value source = viewBlock(rewriter, loc, op.getBase(), op.getOffset(),
                             dimensions, type.getShape(), part);
    Value buffer = allocateBlock(rewriter, loc, type);
    Value target = buffer;
    if (!part.isWhole(type.getShape())) {
      fillOutside(rewriter, loc, buffer, part, op.getOther());
      target = viewPart(rewriter, loc, buffer, part);
    }
    memref::CopyOp::create(rewriter, loc, source, target);
    rewriter.replaceOp(op, blockContents(rewriter, loc, buffer, type));
    return success();
  }
};

/// `tts.store` of a strided block becomes a view of memory and
/// `bufferization.materialize_in_destination`; bounds cut the same part out of
/// the tensor (`tensor.extract_slice`) and of the view (`memref.subview`).
struct LowerStridedStore : OpRewritePattern<tts::StoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::StoreOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<tts::DimensionAccess> dimensions = op.getDimensions();
    auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
    if (!type || !isStrided(dimensions, op.getMask()))
      return rewriter.notifyMatchFailure(op, "not a view of memory");
    // Of elements at one address the last one stays, which a copy need not
    // respect.
    for (auto [dimension, size] : llvm::zip_equal(dimensions, type.getShape()))
      if (size > 1 && isConstantIntValue(dimension.stride, 0))
        return rewriter.notifyMatchFailure(op, "elements share an address");
    Location loc = op.getLoc();
    Part part = boundedPart(rewriter, loc, dimensions, type.getShape());
    Value value = op.getValue();
    Value target = viewBlock(rewriter, loc, op.getBase(), op.getOffset(),
                             dimensions, type.getShape(), part);
    if (!part.isWhole(type.getShape()))
      value = tensor::ExtractSliceOp::create(rewriter, loc, value, part.offsets,
                                             part.sizes, part.strides);
    auto copy = bufferization::MaterializeInDestinationOp::create(
        rewriter, loc, value, target);
    copy.setWritable(true);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void triton_shared::populateStridedAccesses(RewritePatternSet &patterns) {
  // Preferred to the loops that every access can become.
  patterns.add<LowerStridedLoad, LowerStridedStore>(patterns.getContext(),
                                                    /*benefit=*/2);
}
