//===- Histogram.cpp - tt.histogram to counting comparisons ---------------===//
//
// Each bin counts the elements that equal its number. That is more work than
// to increment one bin per element, but no bin waits for another, so the loop
// is linalg like any other and runs as vectors or threads.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// With elements d0 and bins d1, bins are the inner loop:
///
///   %h = linalg.generic {[(d0, d1) -> (d0), (d0, d1) -> (d1)],
///                        ["reduction", "parallel"]} ins(%x) outs(%zeros) {
///     %bin = linalg.index 1
///     %count + (%x == %bin ? 1 : 0)
///   }
///
/// Elements are unsigned. One that names no bin, which Triton leaves open, is
/// counted nowhere.
struct LowerHistogram : OpConversionPattern<tt::HistogramOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::HistogramOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    Value zero = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    Value zeros = createFilledTensor(rewriter, loc, type, zero);

    SmallVector<Value> inputs = {adaptor.getSrc()};
    if (adaptor.getMask())
      inputs.push_back(adaptor.getMask());
    AffineExpr element = rewriter.getAffineDimExpr(0);
    AffineExpr bin = rewriter.getAffineDimExpr(1);
    SmallVector<AffineMap> maps(inputs.size(), AffineMap::get(2, 0, element));
    maps.push_back(AffineMap::get(2, 0, bin));
    SmallVector<utils::IteratorType> loops = {utils::IteratorType::reduction,
                                              utils::IteratorType::parallel};

    auto generic = linalg::GenericOp::create(rewriter, loc, TypeRange{type},
                                             inputs, zeros, maps, loops, count);
    rewriter.replaceOp(op, generic);
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

void triton_shared::populateTritonTensorsToLinalgHistogram(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerHistogram>(patterns.getContext());
  target.addLegalDialect<linalg::LinalgDialect, tensor::TensorDialect>();
}
