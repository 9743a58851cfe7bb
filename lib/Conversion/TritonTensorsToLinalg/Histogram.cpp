//===- Histogram.cpp - tt.histogram to tts.histogram ----------------------===//

#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

struct LowerHistogram : OpConversionPattern<tt::HistogramOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::HistogramOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tts::HistogramOp>(
        op, op.getType(), adaptor.getSrc(), adaptor.getMask());
    return success();
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgHistogram(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerHistogram>(patterns.getContext());
  target.addLegalOp<tts::HistogramOp>();
}
