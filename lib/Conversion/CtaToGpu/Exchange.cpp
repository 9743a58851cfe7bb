//===- Exchange.cpp - Elements that other threads hold --------------------===//
//
// What a thread needs and does not hold comes from other lanes of its warp by
// shuffles or, where that is cheaper or they do not have it, through shared
// memory: everyone writes, waits, and reads.
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "SharedMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

static Value shuffleLanes(OpBuilder &builder, Location loc, Value vector,
                          const cta::WarpShuffle &shuffle) {
  SmallVector<Value> held = unpackRegisters(builder, loc, vector);
  ElementCoordinates lanes(builder, loc, shuffle.lanes);
  SmallVector<Value> elements;
  for (auto [reg, source] : llvm::enumerate(shuffle.registers))
    elements.push_back(createShuffle(builder, loc, held[source],
                                     NVVM::ShflKind::idx, lanes.get(reg, 0)));
  return packRegisters(builder, loc, elements);
}

namespace {

struct ConvertConvertLayout : OpConversionPattern<cta::ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::ConvertLayoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    LinearLayout from = cta::getLayout(op.getSource().getType());
    LinearLayout to = cta::getLayout(type);
    if (std::optional<SmallVector<unsigned>> sources = from.findRegisters(to)) {
      rewriter.replaceOp(
          op, shuffleRegisters(rewriter, loc, adaptor.getSource(), *sources));
      return success();
    }
    if (std::optional<cta::WarpShuffle> shuffle = cta::findShuffle(op)) {
      rewriter.replaceOp(
          op, shuffleLanes(rewriter, loc, adaptor.getSource(), *shuffle));
      return success();
    }
    SharedTile shared(op, type, cta::getExchangeLayout(op));
    shared.store(rewriter, loc, adaptor.getSource(), from);
    createBarrier(rewriter, loc);
    rewriter.replaceOp(op, shared.load(rewriter, loc, to));
    return success();
  }
};

/// The row-major index of an element: i32. Each coordinate is cut to its size,
/// so that no index leaves the tile.
Value createFlatIndex(OpBuilder &builder, Location loc, ValueRange coordinates,
                      ArrayRef<int64_t> shape) {
  Value index = createI32(builder, loc, 0);
  for (auto [coordinate, size] : llvm::zip_equal(coordinates, shape)) {
    Value narrow = coordinate;
    Type type = narrow.getType();
    if (type.isIndex())
      narrow = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                          narrow);
    else if (type.getIntOrFloatBitWidth() > 32)
      narrow =
          arith::TruncIOp::create(builder, loc, builder.getI32Type(), narrow);
    else if (type.getIntOrFloatBitWidth() < 32)
      narrow =
          arith::ExtUIOp::create(builder, loc, builder.getI32Type(), narrow);
    narrow = arith::AndIOp::create(builder, loc, narrow,
                                   createI32(builder, loc, size - 1));
    index = arith::MulIOp::create(builder, loc, index,
                                  createI32(builder, loc, size));
    index = arith::AddIOp::create(builder, loc, index, narrow);
  }
  return index;
}

struct ConvertLookup : OpConversionPattern<cta::LookupOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::LookupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType source = cta::getTile(op.getSource());
    SharedTile shared(op, source);
    shared.store(rewriter, loc, adaptor.getSource(), cta::getLayout(source));
    createBarrier(rewriter, loc);
    SmallVector<SmallVector<Value>> indices =
        llvm::map_to_vector(adaptor.getIndices(), [&](Value vector) {
          return unpackRegisters(rewriter, loc, vector);
        });
    SmallVector<Value> elements;
    unsigned count = cta::getLayout(op.getType()).getNumRegisters();
    for (unsigned reg = 0; reg < count; ++reg) {
      SmallVector<Value> coordinates = llvm::map_to_vector(
          indices, [&](const SmallVector<Value> &dim) { return dim[reg]; });
      elements.push_back(shared.loadElement(
          rewriter, loc,
          createFlatIndex(rewriter, loc, coordinates, source.getShape())));
    }
    rewriter.replaceOp(op, packRegisters(rewriter, loc, elements));
    return success();
  }
};

struct ConvertExtract : OpConversionPattern<cta::ExtractOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::ExtractOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType source = cta::getTile(op.getSource());
    // Everyone holds the only element.
    if (source.getNumElements() == 1) {
      rewriter.replaceOpWithNewOp<vector::ExtractOp>(op, adaptor.getSource(),
                                                     0);
      return success();
    }
    SharedTile shared(op, source);
    shared.store(rewriter, loc, adaptor.getSource(), cta::getLayout(source));
    createBarrier(rewriter, loc);
    rewriter.replaceOp(
        op,
        shared.loadElement(rewriter, loc,
                           createFlatIndex(rewriter, loc, adaptor.getIndices(),
                                           source.getShape())));
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuExchange(const TypeConverter &types,
                                             RewritePatternSet &patterns) {
  patterns.add<ConvertConvertLayout, ConvertLookup, ConvertExtract>(
      types, patterns.getContext());
}
