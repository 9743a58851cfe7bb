//===- Histograms.cpp - tts.histogram to counting comparisons -------------===//
//
// Each bin counts the elements that equal its number. That is more work than
// to increment one bin per element, but no bin waits for another, so the loop
// is linalg like any other and runs as vectors.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// With elements d0 and bins d1, bins are the inner loop:
///
///   %h = linalg.generic {[(d0, d1) -> (d0), (d0, d1) -> (d1)],
///                        ["reduction", "parallel"]} ins(%x) outs(%zeros) {
///     %bin = linalg.index 1
///     %count + (%x == %bin ? 1 : 0)
///   }
struct LowerHistogram : OpRewritePattern<tts::HistogramOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::HistogramOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Value zero = zeroOf(rewriter, loc, type.getElementType());
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    Value zeros =
        linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);

    SmallVector<Value> inputs = {op.getSource()};
    if (op.getMask())
      inputs.push_back(op.getMask());
    AffineExpr element = rewriter.getAffineDimExpr(0);
    AffineExpr bin = rewriter.getAffineDimExpr(1);
    SmallVector<AffineMap> maps(inputs.size(), AffineMap::get(2, 0, element));
    maps.push_back(AffineMap::get(2, 0, bin));
    SmallVector<utils::IteratorType> loops = {utils::IteratorType::reduction,
                                              utils::IteratorType::parallel};
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(op, TypeRange{type}, inputs,
                                                   zeros, maps, loops, count);
    return success();
  }

private:
  /// Arguments are the element, its mask if there is one, and the count so far.
  static void count(OpBuilder &builder, Location loc, ValueRange args) {
    Value element = args.front();
    if (element.getType().getIntOrFloatBitWidth() < 32)
      element =
          arith::ExtUIOp::create(builder, loc, builder.getI32Type(), element);
    Value bin =
        arith::IndexCastOp::create(builder, loc, element.getType(),
                                   linalg::IndexOp::create(builder, loc, 1));
    Value hit = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      element, bin);
    if (args.size() == 3)
      hit = arith::AndIOp::create(builder, loc, hit, args[1]);
    Value one =
        arith::ExtUIOp::create(builder, loc, args.back().getType(), hit);
    Value sum = arith::AddIOp::create(builder, loc, args.back(), one);
    linalg::YieldOp::create(builder, loc, sum);
  }
};

} // namespace

void triton_shared::populateHistograms(RewritePatternSet &patterns) {
  patterns.add<LowerHistogram>(patterns.getContext());
}
