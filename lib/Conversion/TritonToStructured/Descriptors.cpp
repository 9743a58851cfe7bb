//===- Descriptors.cpp - Accesses through tensor descriptors --------------===//
//
// A descriptor access is bounded in all dimensions by the shape of its tensor;
// what lies outside reads as padding and is never written.
//
//===----------------------------------------------------------------------===//

#include "PointerParts.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Dialect/Structured/IR/IndexNumbers.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

SmallVector<Value> extendAll(OpBuilder &builder, Location loc,
                             ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) {
    return tts::extendToI64(builder, loc, value);
  });
}

/// The block that starts at `indices`, bounded in all dimensions.
BlockPlace placeWholeBlock(OpBuilder &builder, Location loc,
                           const TensorParts &tensor, ValueRange indices) {
  auto all = llvm::to_vector(llvm::seq<int32_t>(0, tensor.shape.size()));
  return placeBlock(builder, loc, tensor, extendAll(builder, loc, indices),
                    all);
}

/// What a load gives outside of the tensor.
Value getPadding(OpBuilder &builder, Location loc, Type element,
                 Value paddingIsNan) {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  auto floatType = dyn_cast<FloatType>(element);
  if (!floatType)
    return zero;
  Value nan = arith::ConstantOp::create(
      builder, loc,
      builder.getFloatAttr(floatType,
                           APFloat::getNaN(floatType.getFloatSemantics())));
  return arith::SelectOp::create(builder, loc, paddingIsNan, nan, zero);
}

/// What a load gives: `block`, rounded to tf32 if the descriptor says so. Ties
/// go to even; infinities and NaNs stay.
Value roundIfAsked(OpBuilder &builder, Location loc, Value block,
                   Value roundsToTf32) {
  auto type = cast<RankedTensorType>(block.getType());
  if (!type.getElementType().isF32() || matchPattern(roundsToTf32, m_Zero()))
    return block;
  constexpr int64_t droppedBits = 13; // f32 has 23 bits of mantissa, tf32 10.
  Type integers = type.clone(builder.getI32Type());
  auto constant = [&](int64_t bits) -> Value {
    auto value = builder.getI32IntegerAttr(static_cast<int32_t>(bits));
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(integers), value));
  };
  Value bits = arith::BitcastOp::create(builder, loc, integers, block);
  Value shifted =
      arith::ShRUIOp::create(builder, loc, bits, constant(droppedBits));
  Value isOdd = arith::AndIOp::create(builder, loc, shifted, constant(1));
  Value almostHalf = arith::AddIOp::create(
      builder, loc, isOdd, constant((1 << (droppedBits - 1)) - 1));
  Value raised = arith::AddIOp::create(builder, loc, bits, almostHalf);
  Value rounded = arith::AndIOp::create(builder, loc, raised,
                                        constant(-(int64_t(1) << droppedBits)));
  Value exponent =
      arith::AndIOp::create(builder, loc, bits, constant(0x7f800000));
  Value isSpecial = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, exponent, constant(0x7f800000));
  rounded = arith::SelectOp::create(builder, loc, isSpecial, bits, rounded);
  rounded = arith::BitcastOp::create(builder, loc, type, rounded);
  return arith::SelectOp::create(builder, loc, roundsToTf32, rounded, block);
}

/// A block loaded or stored may differ from the descriptor's by unit
/// dimensions.
Value reshapeTo(OpBuilder &builder, Location loc, Value block, Type type) {
  if (block.getType() == type)
    return block;
  return tt::ReshapeOp::create(builder, loc, type, block);
}

/// `vector`, which runs along `dim`, as a block of `shape`.
Value spread(OpBuilder &builder, Location loc, Value vector, int64_t dim,
             ArrayRef<int64_t> shape) {
  for (int64_t d = 0, rank = shape.size(); d < rank; ++d)
    if (d != dim)
      vector = tt::ExpandDimsOp::create(builder, loc, vector, d);
  auto type = RankedTensorType::get(
      shape, cast<RankedTensorType>(vector.getType()).getElementType());
  return tt::BroadcastOp::create(builder, loc, type, vector);
}

struct SplitMakeDescriptor : OpConversionPattern<tt::MakeTensorDescOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::MakeTensorDescOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TensorParts tensor;
    tensor.base = adaptor.getBase();
    tensor.shape = extendAll(rewriter, op.getLoc(), adaptor.getShape());
    tensor.strides = extendAll(rewriter, op.getLoc(), adaptor.getStrides());
    tensor.paddingIsNan = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        rewriter.getBoolAttr(op.getPadding() == tt::PaddingOption::PAD_NAN));
    tensor.roundsToTf32 = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getBoolAttr(false));
    rewriter.replaceOpWithMultiple(op, {tensor.flatten()});
    return success();
  }
};

struct StructureDescriptorLoad : OpConversionPattern<tt::DescriptorLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DescriptorLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType block = op.getDesc().getType().getSignlessBlockType();
    TensorParts tensor = TensorParts::ofDescriptor(adaptor.getDesc());
    BlockPlace place =
        placeWholeBlock(rewriter, op.getLoc(), tensor, op.getIndices());
    Value other = getPadding(rewriter, op.getLoc(), block.getElementType(),
                             tensor.paddingIsNan);
    auto load =
        tts::LoadOp::create(rewriter, op.getLoc(), block, tensor.base,
                            place.offset, place.dimensions, nullptr, other);
    load->setAttr(tts::kThroughDescriptor, rewriter.getUnitAttr());
    Value rounded =
        roundIfAsked(rewriter, op.getLoc(), load, tensor.roundsToTf32);
    rewriter.replaceOp(op,
                       reshapeTo(rewriter, op.getLoc(), rounded, op.getType()));
    return success();
  }
};

struct StructureDescriptorStore : OpConversionPattern<tt::DescriptorStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DescriptorStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType block = op.getDesc().getType().getSignlessBlockType();
    TensorParts tensor = TensorParts::ofDescriptor(adaptor.getDesc());
    BlockPlace place =
        placeWholeBlock(rewriter, op.getLoc(), tensor, op.getIndices());
    Value value = reshapeTo(rewriter, op.getLoc(), op.getSrc(), block);
    auto store = rewriter.replaceOpWithNewOp<tts::StoreOp>(
        op, value, tensor.base, place.offset, place.dimensions, nullptr);
    store->setAttr(tts::kThroughDescriptor, rewriter.getUnitAttr());
    return success();
  }
};

/// The place of a block whose rows are picked by `rows` and whose columns start
/// at `column`; `mask` is false in the rows outside of the tensor.
struct PickedRows {
  PickedRows(OpBuilder &builder, Location loc, const TensorParts &tensor,
             Value rows, Value column, RankedTensorType block) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
    Value first = tts::extendToI64(builder, loc, column);
    place = placeBlock(builder, loc, tensor, {zero, first}, {1});
    Value indices = tts::extendToI64(builder, loc, rows);
    place.dimensions[0].indices = indices;
    // Unsigned, a negative row is beyond every end.
    Value end = tt::SplatOp::create(builder, loc, indices.getType(),
                                    tensor.shape.front());
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, indices, end);
    mask = spread(builder, loc, inside, 0, block.getShape());
  }

  BlockPlace place;
  Value mask;
};

struct StructureDescriptorGather : OpConversionPattern<tt::DescriptorGatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DescriptorGatherOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto block = cast<RankedTensorType>(op.getType());
    TensorParts tensor = TensorParts::ofDescriptor(adaptor.getDesc());
    PickedRows picked(rewriter, op.getLoc(), tensor, op.getXOffsets(),
                      op.getYOffset(), block);
    Value other = getPadding(rewriter, op.getLoc(), block.getElementType(),
                             tensor.paddingIsNan);
    Value load = tts::LoadOp::create(
        rewriter, op.getLoc(), block, tensor.base, picked.place.offset,
        picked.place.dimensions, picked.mask, other);
    rewriter.replaceOp(
        op, roundIfAsked(rewriter, op.getLoc(), load, tensor.roundsToTf32));
    return success();
  }
};

struct StructureDescriptorScatter
    : OpConversionPattern<tt::DescriptorScatterOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DescriptorScatterOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto block = cast<RankedTensorType>(op.getSrc().getType());
    TensorParts tensor = TensorParts::ofDescriptor(adaptor.getDesc());
    PickedRows picked(rewriter, op.getLoc(), tensor, op.getXOffsets(),
                      op.getYOffset(), block);
    rewriter.replaceOpWithNewOp<tts::StoreOp>(
        op, op.getSrc(), tensor.base, picked.place.offset,
        picked.place.dimensions, picked.mask);
    return success();
  }
};

tts::AtomicKind getAtomicKind(tt::DescriptorReduceKind kind, Type element) {
  bool isFloat = isa<FloatType>(element);
  bool isUnsigned = element.isUnsignedInteger();
  switch (kind) {
  case tt::DescriptorReduceKind::ADD:
    return isFloat ? tts::AtomicKind::FAdd : tts::AtomicKind::Add;
  case tt::DescriptorReduceKind::MIN:
    return isFloat      ? tts::AtomicKind::FMin
           : isUnsigned ? tts::AtomicKind::UMin
                        : tts::AtomicKind::Min;
  case tt::DescriptorReduceKind::MAX:
    return isFloat      ? tts::AtomicKind::FMax
           : isUnsigned ? tts::AtomicKind::UMax
                        : tts::AtomicKind::Max;
  case tt::DescriptorReduceKind::INC:
    return tts::AtomicKind::Increment;
  case tt::DescriptorReduceKind::DEC:
    return tts::AtomicKind::Decrement;
  case tt::DescriptorReduceKind::AND:
    return tts::AtomicKind::And;
  case tt::DescriptorReduceKind::OR:
    return tts::AtomicKind::Or;
  case tt::DescriptorReduceKind::XOR:
    return tts::AtomicKind::Xor;
  }
  llvm_unreachable("covered switch");
}

/// Offsets and mask of every element of `block` at `indices` in `tensor`.
std::pair<Value, Value> spellOut(OpBuilder &builder, Location loc,
                                 const TensorParts &tensor,
                                 ArrayRef<Value> indices,
                                 RankedTensorType block) {
  Value offsets, mask;
  for (auto [d, size] : llvm::enumerate(block.getShape())) {
    auto rangeType = RankedTensorType::get({size}, builder.getI32Type());
    Value range = tt::MakeRangeOp::create(builder, loc, rangeType, 0, size);
    range = tts::extendToI64(builder, loc, range);
    auto splat = [&](Value scalar) -> Value {
      return tt::SplatOp::create(builder, loc, range.getType(), scalar);
    };
    range = arith::AddIOp::create(builder, loc, range, splat(indices[d]));
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, range, splat(tensor.shape[d]));
    Value steps =
        arith::MulIOp::create(builder, loc, range, splat(tensor.strides[d]));
    steps = spread(builder, loc, steps, d, block.getShape());
    inside = spread(builder, loc, inside, d, block.getShape());
    offsets =
        offsets ? arith::AddIOp::create(builder, loc, offsets, steps) : steps;
    mask = mask ? arith::AndIOp::create(builder, loc, mask, inside) : inside;
  }
  return {offsets, mask};
}

struct StructureDescriptorReduce : OpConversionPattern<tt::DescriptorReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DescriptorReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType signedBlock = op.getDesc().getType().getBlockType();
    RankedTensorType block = op.getDesc().getType().getSignlessBlockType();
    TensorParts tensor = TensorParts::ofDescriptor(adaptor.getDesc());
    auto [offsets, mask] =
        spellOut(rewriter, op.getLoc(), tensor,
                 extendAll(rewriter, op.getLoc(), op.getIndices()), block);
    Value value = reshapeTo(rewriter, op.getLoc(), op.getSrc(), block);
    tts::AtomicRMWOp::create(
        rewriter, op.getLoc(), block,
        getAtomicKind(op.getKind(), signedBlock.getElementType()),
        tts::MemoryOrder::Relaxed, tts::MemoryScope::Gpu, value, tensor.base,
        offsets, mask);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void triton_shared::populateDescriptorPatterns(RewritePatternSet &patterns,
                                               const TypeConverter &converter) {
  patterns.add<SplitMakeDescriptor, StructureDescriptorLoad,
               StructureDescriptorStore, StructureDescriptorGather,
               StructureDescriptorScatter, StructureDescriptorReduce>(
      converter, patterns.getContext());
}
