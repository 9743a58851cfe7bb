//===- Gather.cpp - tt.gather to reads of single elements -----------------===//
//
// Each element of the result reads the source at its own place, with the index
// for the place along the axis.
//
//===----------------------------------------------------------------------===//

#include "MapElements.h"

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

/// For `axis = 1`:
///
///   linalg.generic ins(%indices) outs(%empty) {
///     %row = linalg.index 0
///     %column = arith.minui (arith.index_castui %index), %last
///     %element = tensor.extract %src[%row, %column]
///   }
///
/// Indices are unsigned: a valid one is never negative, but one of type i8 may
/// be above 127. One that is too large, as kernels have them in elements they
/// do not use, reads the last element.
struct LowerGather : OpConversionPattern<tt::GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    int64_t rank = op.getType().getRank();
    int64_t size = op.getSrc().getType().getDimSize(op.getAxis());
    auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
      SmallVector<Value> place;
      for (int64_t dim = 0; dim < rank; ++dim)
        place.push_back(linalg::IndexOp::create(b, loc, dim));
      Value index =
          arith::IndexCastUIOp::create(b, loc, b.getIndexType(), args.front());
      Value last = arith::ConstantIndexOp::create(b, loc, size - 1);
      place[op.getAxis()] = arith::MinUIOp::create(b, loc, index, last);
      return SmallVector<Value>{
          tensor::ExtractOp::create(b, loc, adaptor.getSrc(), place)};
    };
    rewriter.replaceOp(op,
                       mapElements(rewriter, op.getLoc(), op->getResultTypes(),
                                   adaptor.getIndices(), body));
    return success();
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgGather(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerGather>(patterns.getContext());
  target.addLegalDialect<linalg::LinalgDialect, tensor::TensorDialect>();
}
