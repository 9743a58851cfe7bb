//===- Shapes.cpp - Coordinates, and shapes without moving data -----------===//

#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

namespace {

struct ConvertIota : OpConversionPattern<cta::IotaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::IotaOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LinearLayout layout = cta::getLayout(op.getType());
    Type element = op.getType().getElementType();
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    Value ofThread =
        castTo(rewriter, loc, element,
               createThreadCoordinate(rewriter, loc, layout, op.getDim()));
    SmallVector<Attribute> ofRegisters;
    for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg)
      ofRegisters.push_back(rewriter.getIntegerAttr(
          element, layout.applyRegister(reg)[op.getDim()]));
    Value registers = arith::ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(type, ofRegisters));
    Value thread = vector::BroadcastOp::create(rewriter, loc, type, ofThread);
    if (layout.hasDisjointRegisters())
      rewriter.replaceOpWithNewOp<arith::AddIOp>(op, thread, registers);
    else
      rewriter.replaceOpWithNewOp<arith::XOrIOp>(op, thread, registers);
    return success();
  }

private:
  static Value castTo(OpBuilder &builder, Location loc, Type type,
                      Value value) {
    if (type.isIndex())
      return arith::IndexCastUIOp::create(builder, loc, type, value);
    unsigned width = type.getIntOrFloatBitWidth();
    if (width > 32)
      return arith::ExtUIOp::create(builder, loc, type, value);
    if (width < 32)
      return arith::TruncIOp::create(builder, loc, type, value);
    return value;
  }
};

/// The bits of the register index keep their order, so nothing moves.
template <typename OpTy> struct ConvertRename : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource());
    return success();
  }
};

struct ConvertBroadcast : OpConversionPattern<cta::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType from = cta::getTile(op.getSource());
    LinearLayout source = cta::getLayout(from);
    LinearLayout result = cta::getLayout(op.getType());
    SmallVector<unsigned> sources;
    for (unsigned reg = 0; reg < result.getNumRegisters(); ++reg) {
      cta::Coordinates coordinates = result.applyRegister(reg);
      for (auto [dim, size] : llvm::enumerate(from.getShape()))
        if (size == 1)
          coordinates[dim] = 0;
      sources.push_back(*source.findRegister(coordinates));
    }
    rewriter.replaceOp(op, shuffleRegisters(rewriter, op.getLoc(),
                                            adaptor.getSource(), sources));
    return success();
  }
};

/// Each thread keeps the registers whose coordinates lie within the part.
struct ConvertSlice : OpConversionPattern<cta::SliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::SliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinearLayout from = cta::getLayout(op.getSource().getType());
    LinearLayout to = cta::getLayout(op.getType());
    SmallVector<unsigned> sources;
    for (unsigned reg = 0; reg < to.getNumRegisters(); ++reg) {
      cta::Coordinates coordinates = to.applyRegister(reg);
      for (auto [value, offset] : llvm::zip_equal(coordinates, op.getOffsets()))
        value += offset;
      std::optional<unsigned> source = from.findRegister(coordinates);
      if (!source)
        return rewriter.notifyMatchFailure(op, "another thread holds a part");
      sources.push_back(*source);
    }
    rewriter.replaceOp(op, shuffleRegisters(rewriter, op.getLoc(),
                                            adaptor.getSource(), sources));
    return success();
  }
};

/// Registers whose coordinates lie within the part are those of the source.
struct ConvertInsertSlice : OpConversionPattern<cta::InsertSliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::InsertSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType part = cta::getTile(op.getSource());
    LinearLayout from = cta::getLayout(part);
    LinearLayout layout = cta::getLayout(op.getType());
    SmallVector<int64_t> chosen;
    for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
      cta::Coordinates coordinates = layout.applyRegister(reg);
      bool isInside = true;
      for (auto [value, offset, size] :
           llvm::zip_equal(coordinates, op.getOffsets(), part.getShape())) {
        value -= offset;
        isInside &= value >= 0 && value < size;
      }
      chosen.push_back(isInside ? layout.getNumRegisters() +
                                      *from.findRegister(coordinates)
                                : reg);
    }
    rewriter.replaceOpWithNewOp<vector::ShuffleOp>(op, adaptor.getDest(),
                                                   adaptor.getSource(), chosen);
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuShapes(const TypeConverter &types,
                                           RewritePatternSet &patterns) {
  patterns
      .add<ConvertIota, ConvertBroadcast, ConvertRename<cta::ReshapeOp>,
           ConvertRename<cta::TransposeOp>, ConvertSlice, ConvertInsertSlice>(
          types, patterns.getContext());
}
