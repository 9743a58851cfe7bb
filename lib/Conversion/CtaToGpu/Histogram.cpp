//===- Histogram.cpp - Counting elements in shared memory -----------------===//
//
// The threads clear the counts, increment those that their elements name, each
// element by one of the threads that hold it, and read what has come together.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct ConvertHistogram : OpConversionPattern<cta::HistogramOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::HistogramOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    cta::LinearLayout layout = cta::getLayout(type);
    SharedTile counts(op, type);
    Type vector = getTypeConverter()->convertType(type);
    Value zeros =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(vector));
    counts.store(rewriter, loc, zeros, layout);
    createBarrier(rewriter, loc);
    countElements(op, adaptor, counts, rewriter);
    createBarrier(rewriter, loc);
    rewriter.replaceOp(op, counts.load(rewriter, loc, layout));
    return success();
  }

private:
  static void countElements(cta::HistogramOp op, OpAdaptor adaptor,
                            const SharedTile &counts, OpBuilder &builder) {
    Location loc = op.getLoc();
    Value isHolder = createIsFirstHolder(
        builder, loc, cta::getLayout(op.getSource().getType()));
    SmallVector<Value> masks;
    if (adaptor.getMask())
      masks = unpackRegisters(builder, loc, adaptor.getMask());
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<Value> elements =
        unpackRegisters(builder, loc, adaptor.getSource());
    for (unsigned reg = 0; reg < elements.size(); ++reg) {
      Value element = elements[reg];
      Value isCounted =
          createIsBin(builder, loc, element, type.getNumElements());
      for (Value condition : {isHolder, masks.empty() ? Value() : masks[reg]})
        if (condition)
          isCounted = arith::AndIOp::create(builder, loc, isCounted, condition);
      auto branch = scf::IfOp::create(builder, loc, isCounted,
                                      /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      Value one =
          arith::ConstantIntOp::create(builder, loc, type.getElementType(), 1);
      LLVM::AtomicRMWOp::create(
          builder, loc, LLVM::AtomicBinOp::add,
          counts.createPointer(builder, loc, toI32(builder, loc, element)), one,
          LLVM::AtomicOrdering::monotonic, "block");
    }
  }

  /// Whether `element`, as an unsigned number, is one of `bins` bins.
  static Value createIsBin(OpBuilder &builder, Location loc, Value element,
                           int64_t bins) {
    unsigned width = element.getType().getIntOrFloatBitWidth();
    if (width < 63 && bins >= int64_t(1) << width)
      return arith::ConstantIntOp::create(builder, loc, 1, 1);
    Value end =
        arith::ConstantIntOp::create(builder, loc, element.getType(), bins);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                 element, end);
  }

  static Value toI32(OpBuilder &builder, Location loc, Value element) {
    unsigned width = element.getType().getIntOrFloatBitWidth();
    Type i32 = builder.getI32Type();
    if (width < 32)
      return arith::ExtUIOp::create(builder, loc, i32, element);
    return width > 32
               ? Value(arith::TruncIOp::create(builder, loc, i32, element))
               : element;
  }
};

} // namespace

void triton_shared::populateCtaToGpuHistogram(const TypeConverter &types,
                                              RewritePatternSet &patterns) {
  patterns.add<ConvertHistogram>(types, patterns.getContext());
}
