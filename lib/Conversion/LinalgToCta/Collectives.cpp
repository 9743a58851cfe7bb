//===- Collectives.cpp - tts.scan and tts.histogram to tiles --------------===//
//
// They mean the same on tiles, so that only their names change. A scan whose
// region may end the launch or print is a loop: threads combine more pairs than
// those that belong together, and leave the results out.
//
//===----------------------------------------------------------------------===//

#include "Topics.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// With nothing before it, an element stays what it is.
struct ConvertScan : OpRewritePattern<tts::ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::ScanOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getSources().front().getType());
    if (type.getDimSize(static_cast<int64_t>(op.getAxis())) == 1) {
      rewriter.replaceOp(op, op.getSources());
      return success();
    }
    if (!isMemoryEffectFree(op))
      return rewriter.notifyMatchFailure(op, "has a region with effects");
    auto scan = cta::ScanOp::create(rewriter, op.getLoc(), op.getResultTypes(),
                                    op.getSources(), op.getAxisAttr(),
                                    op.getReverseAttr());
    rewriter.inlineRegionBefore(op.getCombine(), scan.getCombine(),
                                scan.getCombine().end());
    Operation *yield = scan.getCombine().front().getTerminator();
    rewriter.setInsertionPoint(yield);
    rewriter.replaceOpWithNewOp<cta::YieldOp>(yield, yield->getOperands());
    rewriter.replaceOp(op, scan);
    return success();
  }
};

struct ConvertHistogram : OpRewritePattern<tts::HistogramOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::HistogramOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<cta::HistogramOp>(op, op.getType(),
                                                  op.getSource(), op.getMask());
    return success();
  }
};

} // namespace

void triton_shared::populateLinalgToCtaCollectives(
    RewritePatternSet &patterns) {
  patterns.add<ConvertScan>(patterns.getContext(), /*benefit=*/2);
  patterns.add<ConvertHistogram>(patterns.getContext());
  populateScansToLoops(patterns);
}
