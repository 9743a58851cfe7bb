//===- MapElementwise.cpp - tt.map_elementwise to linalg.generic ----------===//
//
// The region is the body of the loop. If it takes several neighbours at once
// the operands are first taken apart into one tensor per neighbour.
//
//===----------------------------------------------------------------------===//

#include "MapElements.h"
#include "Packs.h"
#include "RegionBody.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// The region takes all neighbours of the first operand, then all of the
/// second, and returns results in the same order.
struct LowerMapElementwise : OpConversionPattern<tt::MapElementwiseOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::MapElementwiseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getScalarOp().hasOneBlock())
      return rewriter.notifyMatchFailure(
          op, "region has several blocks; triton-structure-control-flow leaves "
              "one");
    Location loc = op.getLoc();
    int64_t pack = op.getPack();
    auto body = [&](OpBuilder &b, Location, ValueRange args) {
      return cloneRegionBody(b, op.getScalarOp(), args);
    };
    if (pack == 1) {
      rewriter.replaceOp(op, mapElements(rewriter, loc, op.getResultTypes(),
                                         adaptor.getSrcs(), body));
      return success();
    }

    auto shape = cast<RankedTensorType>(op.getSrcs().front().getType());
    if (shape.getNumElements() % pack != 0)
      return rewriter.notifyMatchFailure(op, "pack does not divide the tensor");
    rewriter.replaceOp(op, mapPacks(rewriter, loc, op.getResultTypes(),
                                    adaptor.getSrcs(), pack, body));
    return success();
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgMapElementwise(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerMapElementwise>(patterns.getContext());
  target.addLegalDialect<linalg::LinalgDialect, tensor::TensorDialect>();
}
