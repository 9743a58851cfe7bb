//===- BlockPointers.cpp - Accesses through block pointers ----------------===//
//
// A block pointer (Triton up to 3.7) carries its tensor and the place of the
// block, so that its accesses are structured as they stand.
//
//===----------------------------------------------------------------------===//

#include "PointerParts.h"
#include "triton-shared/Dialect/Structured/IR/IndexNumbers.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

struct SplitMakeTensorPtr : OpConversionPattern<tt::MakeTensorPtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::MakeTensorPtrOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TensorParts tensor;
    tensor.base = adaptor.getBase();
    tensor.shape = llvm::to_vector(adaptor.getShape());
    tensor.strides = llvm::to_vector(adaptor.getStrides());
    for (Value offset : adaptor.getOffsets())
      tensor.offsets.push_back(tts::extendToI64(rewriter, op.getLoc(), offset));
    rewriter.replaceOpWithMultiple(op, {tensor.flatten()});
    return success();
  }
};

struct SplitAdvance : OpConversionPattern<tt::AdvanceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::AdvanceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TensorParts tensor = TensorParts::ofBlockPointer(adaptor.getPtr());
    for (auto [offset, step] :
         llvm::zip_equal(tensor.offsets, op.getOffsets())) {
      Value extended = tts::extendToI64(rewriter, op.getLoc(), step);
      offset = arith::AddIOp::create(rewriter, op.getLoc(), offset, extended);
    }
    rewriter.replaceOpWithMultiple(op, {tensor.flatten()});
    return success();
  }
};

/// What a load gives outside of the tensor; null if that is undefined.
Value getPadding(OpBuilder &builder, Location loc, Type element,
                 std::optional<tt::PaddingOption> padding) {
  if (!padding)
    return nullptr;
  TypedAttr value = builder.getZeroAttr(element);
  if (*padding == tt::PaddingOption::PAD_NAN)
    value = builder.getFloatAttr(
        element, APFloat::getNaN(cast<FloatType>(element).getFloatSemantics()));
  return arith::ConstantOp::create(builder, loc, value);
}

/// `i1` lies in memory as bytes: any but 0 is true.
Type getMemoryType(RankedTensorType type) {
  if (!type.getElementType().isInteger(1))
    return type;
  return type.clone(IntegerType::get(type.getContext(), 8));
}

/// The base of the tensor, as a pointer to what lies in memory.
Value getBase(OpBuilder &builder, Location loc, const TensorParts &tensor,
              Type stored) {
  auto pointer = cast<tt::PointerType>(tensor.base.getType());
  Type element = getElementTypeOrSelf(stored);
  if (pointer.getPointeeType() == element)
    return tensor.base;
  return tt::BitcastOp::create(
      builder, loc, tt::PointerType::get(element, pointer.getAddressSpace()),
      tensor.base);
}

struct StructureBlockLoad : OpConversionPattern<tt::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    TensorParts tensor = TensorParts::ofBlockPointer(adaptor.getPtr());
    BlockPlace place = placeBlock(rewriter, op.getLoc(), tensor, tensor.offsets,
                                  op.getBoundaryCheck());
    Type stored = getMemoryType(type);
    Value other = getPadding(rewriter, op.getLoc(),
                             getElementTypeOrSelf(stored), op.getPadding());
    auto load =
        tts::LoadOp::create(rewriter, op.getLoc(), stored,
                            getBase(rewriter, op.getLoc(), tensor, stored),
                            place.offset, place.dimensions, nullptr, other);
    load.setIsVolatile(op.getIsVolatile());
    if (stored == type) {
      rewriter.replaceOp(op, load);
      return success();
    }
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(),
                                           rewriter.getZeroAttr(stored));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::ne,
                                               load.getResult(), zero);
    return success();
  }
};

struct StructureBlockStore : OpConversionPattern<tt::StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TensorParts tensor = TensorParts::ofBlockPointer(adaptor.getPtr());
    BlockPlace place = placeBlock(rewriter, op.getLoc(), tensor, tensor.offsets,
                                  op.getBoundaryCheck());
    Value value = adaptor.getValue().front();
    Type stored = getMemoryType(cast<RankedTensorType>(value.getType()));
    if (stored != value.getType())
      value = arith::ExtUIOp::create(rewriter, op.getLoc(), stored, value);
    rewriter.replaceOpWithNewOp<tts::StoreOp>(
        op, value, getBase(rewriter, op.getLoc(), tensor, stored), place.offset,
        place.dimensions, nullptr);
    return success();
  }
};

/// A choice between two block pointers or descriptors chooses every part.
struct SplitSelect : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (auto [yes, no] :
         llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      parts.push_back(arith::SelectOp::create(
          rewriter, op.getLoc(), adaptor.getCondition().front(), yes, no));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

} // namespace

void triton_shared::populateBlockPointerPatterns(
    RewritePatternSet &patterns, const TypeConverter &converter) {
  patterns.add<SplitMakeTensorPtr, SplitAdvance, StructureBlockLoad,
               StructureBlockStore, SplitSelect>(converter,
                                                 patterns.getContext());
}
