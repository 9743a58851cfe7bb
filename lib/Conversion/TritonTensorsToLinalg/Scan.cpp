//===- Scan.cpp - tt.scan to tts.scan -------------------------------------===//
//
// What is combined stays one operation: a loop over slices suits no device but
// a CPU. Only the type in which sums are made is decided here.
//
//===----------------------------------------------------------------------===//

#include "MapElements.h"
#include "RegionBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// Sums of small floats run in f32, and each is rounded.
struct LowerScan : OpConversionPattern<tt::ScanOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ScanOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type elementType = getElementTypeOrSelf(op.getSrcs().front().getType());
    Type sumType = getSumType(op, elementType);
    SmallVector<Value> sources(adaptor.getSrcs());
    if (sumType != elementType)
      sources.front() =
          castElements<arith::ExtFOp>(rewriter, loc, sources.front(), sumType);

    auto scan = tts::ScanOp::create(
        rewriter, loc, TypeRange(ValueRange(sources)), sources,
        rewriter.getI64IntegerAttr(op.getAxis()),
        op.getReverse() ? rewriter.getUnitAttr() : UnitAttr());
    buildCombine(rewriter, op, scan);

    rewriter.setInsertionPointAfter(scan);
    SmallVector<Value> results(scan.getResults());
    if (sumType != elementType)
      results.front() = castElements<arith::TruncFOp>(
          rewriter, loc, results.front(), elementType);
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// The type in which the scan combines elements of `elementType`.
  static Type getSumType(tt::ScanOp op, Type elementType) {
    Operation *combiner = getOnlyOperation(op.getCombineOp());
    return combiner ? getAccumulatorType(combiner, elementType) : elementType;
  }

  /// The region of `op`; of a sum or an extremum in another type, what it does
  /// in that.
  static void buildCombine(OpBuilder &builder, tt::ScanOp op,
                           tts::ScanOp scan) {
    Location loc = op.getLoc();
    SmallVector<Type> types =
        llvm::map_to_vector(scan.getResultTypes(), [](Type type) {
          return getElementTypeOrSelf(type);
        });
    llvm::append_range(types, SmallVector<Type>(types));
    SmallVector<Location> locs(types.size(), loc);
    Region &combine = scan.getCombine();
    ValueRange elements =
        builder.createBlock(&combine, combine.end(), types, locs)
            ->getArguments();
    Region &region = op.getCombineOp();
    bool isWidened = types.front() != region.getArgument(0).getType();
    SmallVector<Value> results =
        isWidened ? SmallVector<Value>{cloneCombiner(
                        builder, getOnlyOperation(region), elements)}
                  : cloneRegionBody(builder, region, elements);
    tts::YieldOp::create(builder, loc, results);
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgScan(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerScan>(patterns.getContext());
  target.addLegalOp<tts::ScanOp, tts::YieldOp>();
}
