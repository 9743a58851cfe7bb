//===- Buffers.cpp - Tiles that lie in shared memory ----------------------===//

#include "SharedMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::triton_shared;

SharedTile triton_shared::createSlot(OpBuilder &builder, Location loc,
                                     cta::BufferType type, Value buffer,
                                     Value slot) {
  Value bytes = arith::MulIOp::create(
      builder, loc, slot, createI32(builder, loc, type.getSlotBytes()));
  Value begin =
      LLVM::GEPOp::create(builder, loc, buffer.getType(), builder.getI8Type(),
                          buffer, ArrayRef<LLVM::GEPArg>{bytes});
  return SharedTile(begin, type.getElementType(), type.getLayout().getLayout());
}

namespace {

struct ConvertAlloc : OpConversionPattern<cta::AllocOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::AllocOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, createSharedPointer(rewriter, op.getLoc(), op));
    return success();
  }
};

struct ConvertTransposeBuffer : OpConversionPattern<cta::TransposeBufferOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::TransposeBufferOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource());
    return success();
  }
};

struct ConvertWrite : OpConversionPattern<cta::WriteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::WriteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    createSlot(rewriter, loc, op.getBuffer().getType(), adaptor.getBuffer(),
               adaptor.getSlot())
        .store(rewriter, loc, adaptor.getSource(),
               cta::getLayout(op.getSource().getType()));
    if (op.getFenced())
      createProductFence(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertRead : OpConversionPattern<cta::ReadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::ReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ArrayRef<int64_t> offsets = op.getOffsets();
    rewriter.replaceOp(
        op, createSlot(rewriter, loc, op.getBuffer().getType(),
                       adaptor.getBuffer(), adaptor.getSlot())
                .load(rewriter, loc, cta::getLayout(op.getType()),
                      cta::Coordinates(offsets.begin(), offsets.end())));
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuBuffers(const TypeConverter &types,
                                            RewritePatternSet &patterns) {
  patterns.add<ConvertAlloc, ConvertTransposeBuffer, ConvertWrite, ConvertRead>(
      types, patterns.getContext());
}
