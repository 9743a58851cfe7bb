//===- Reduce.cpp - tt.reduce to linalg.reduce ----------------------------===//
//
// A reduction needs a value to start from. If its region is one operation with
// a neutral element it starts there; any other region starts from the first
// slice along the axis, which is right whatever the region computes.
//
//===----------------------------------------------------------------------===//

#include "MapElements.h"
#include "Parts.h"
#include "RegionBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// Where a reduction starts
//===----------------------------------------------------------------------===//

namespace {

/// The neutral element of a commutative float operation, if `format` has it.
/// `maxnumf` prefers numbers, so only NaN leaves a row that is all NaN what it
/// is.
std::optional<APFloat> getNeutralFloat(Operation *op,
                                       const llvm::fltSemantics &format) {
  if (isa<arith::AddFOp>(op))
    return APFloat::getZero(format);
  if (isa<arith::MulFOp>(op))
    return APFloat::getOne(format);
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op) &&
      APFloat::semanticsHasNaN(format))
    return APFloat::getQNaN(format);
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op) &&
      APFloat::semanticsHasInf(format))
    return APFloat::getInf(format, /*Negative=*/isa<arith::MaximumFOp>(op));
  return std::nullopt;
}

/// The neutral element of a commutative integer operation.
std::optional<APInt> getNeutralInteger(Operation *op, unsigned width) {
  using Answer = std::optional<APInt>;
  return TypeSwitch<Operation *, Answer>(op)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return APInt::getZero(width); })
      .Case<arith::MulIOp>([&](auto) { return APInt(width, 1); })
      .Case<arith::AndIOp, arith::MinUIOp>(
          [&](auto) { return APInt::getAllOnes(width); })
      .Case<arith::MaxSIOp>(
          [&](auto) { return APInt::getSignedMinValue(width); })
      .Case<arith::MinSIOp>(
          [&](auto) { return APInt::getSignedMaxValue(width); })
      .Default(Answer());
}

/// The neutral element of `op` as a constant of `type`; null if there is none.
TypedAttr getNeutralElement(Operation *op, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    std::optional<APFloat> neutral =
        getNeutralFloat(op, floatType.getFloatSemantics());
    return neutral ? FloatAttr::get(floatType, *neutral) : nullptr;
  }
  if (!isa<IntegerType>(type))
    return nullptr;
  std::optional<APInt> neutral =
      getNeutralInteger(op, type.getIntOrFloatBitWidth());
  return neutral ? IntegerAttr::get(type, *neutral) : nullptr;
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

/// A region of one operation starts from the neutral element:
///
///   %0 = bufferization.alloc_tensor() : tensor<f32>
///   %1 = tensor.insert %zero into %0[]
///   %2 = linalg.reduce ins(%x) outs(%1) dimensions = [0] { ... }
///   %3 = tensor.extract %2[]
///
/// Any other region combines what is left with the first slice:
///
///   %part = tensor.extract_slice %x[0, 0] [m, 1] [1, 1]
///   %first = tensor.collapse_shape %part [[0, 1]]
///   %rest = tensor.extract_slice %x[0, 1] [m, n - 1] [1, 1]
///   %2 = linalg.reduce ins(%rest) outs(%first) dimensions = [1] { ... }
///
/// The left arguments of the region are what is combined so far, so elements
/// keep their order, and an arg-max its rule for ties.
struct LowerReduce : OpConversionPattern<tt::ReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> results;
    Operation *combiner = getOnlyOperation(op.getCombineOp());
    if (combiner &&
        getNeutralElement(combiner, getSourceType(op, 0).getElementType()))
      results = {
          reduceFromNeutral(op, adaptor.getSrcs().front(), combiner, rewriter)};
    else
      results = reduceFromFirst(op, adaptor.getSrcs(), rewriter);
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static RankedTensorType getSourceType(tt::ReduceOp op, unsigned operand) {
    return cast<RankedTensorType>(op.getSrcs()[operand].getType());
  }

  /// The source's type without the axis, with another element type.
  static RankedTensorType getReducedType(tt::ReduceOp op, Type elementType) {
    SmallVector<int64_t> shape(getSourceType(op, 0).getShape());
    shape.erase(shape.begin() + op.getAxis());
    return RankedTensorType::get(shape, elementType);
  }

  static Value reduceFromNeutral(tt::ReduceOp op, Value src,
                                 Operation *combiner, OpBuilder &builder) {
    Location loc = op.getLoc();
    Type elementType = getSourceType(op, 0).getElementType();
    Type sumType = getAccumulatorType(combiner, elementType);
    RankedTensorType type = getReducedType(op, sumType);
    Value neutral = arith::ConstantOp::create(
        builder, loc, getNeutralElement(combiner, sumType));
    Value init = type.getRank() == 0
                     ? createScalarTensor(builder, loc, type, neutral)
                     : createFilledTensor(builder, loc, type, neutral);

    auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
      Value in = args[0];
      if (in.getType() != sumType)
        in = arith::ExtFOp::create(b, loc, sumType, in);
      linalg::YieldOp::create(b, loc,
                              cloneCombiner(b, combiner, {in, args[1]}));
    };
    Value sum =
        linalg::ReduceOp::create(builder, loc, src, init,
                                 static_cast<int64_t>(op.getAxis()), body)
            .getResult(0);
    sum = getElementIfScalar(builder, loc, sum);
    if (sumType == elementType)
      return sum;
    return castElements<arith::TruncFOp>(builder, loc, sum, elementType);
  }

  static SmallVector<Value> reduceFromFirst(tt::ReduceOp op, ValueRange srcs,
                                            OpBuilder &builder) {
    Location loc = op.getLoc();
    int64_t axis = op.getAxis();
    int64_t size = getSourceType(op, 0).getDimSize(axis);
    SmallVector<Value> firsts = llvm::map_to_vector(srcs, [&](Value src) {
      return extractPlace(builder, loc, src, axis, /*place=*/0);
    });
    SmallVector<Value> results = firsts;
    if (size > 1) {
      SmallVector<Value> rests = llvm::map_to_vector(srcs, [&](Value src) {
        return extractPart(builder, loc, src, axis, /*begin=*/1, size - 1);
      });
      // linalg passes the new elements first; Triton's region takes them last.
      auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
        SmallVector<Value> leftThenRight(args.drop_front(srcs.size()));
        llvm::append_range(leftThenRight, args.take_front(srcs.size()));
        linalg::YieldOp::create(
            b, loc, cloneRegionBody(b, op.getCombineOp(), leftThenRight));
      };
      results =
          linalg::ReduceOp::create(builder, loc, rests, firsts, axis, body)
              ->getResults();
    }
    return llvm::map_to_vector(results, [&](Value result) {
      return getElementIfScalar(builder, loc, result);
    });
  }

  static Value createScalarTensor(OpBuilder &builder, Location loc,
                                  RankedTensorType type, Value scalar) {
    Value empty =
        bufferization::AllocTensorOp::create(builder, loc, type, ValueRange());
    return tensor::InsertOp::create(builder, loc, scalar, empty, ValueRange());
  }

  static Value getElementIfScalar(OpBuilder &builder, Location loc,
                                  Value tensor) {
    if (cast<RankedTensorType>(tensor.getType()).getRank() != 0)
      return tensor;
    return tensor::ExtractOp::create(builder, loc, tensor, ValueRange());
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgReduce(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerReduce>(patterns.getContext());
  target.addLegalDialect<bufferization::BufferizationDialect,
                         linalg::LinalgDialect, tensor::TensorDialect>();
}
