//===- Elementwise.cpp - Arithmetic on tensors, element by element --------===//
//
// arith and math take tensors as well as scalars; linalg wants the scalar op
// inside of a loop. The few element-wise ops that only `tt` has become scalar
// arith or math in the same loop.
//
//===----------------------------------------------------------------------===//

#include "MapElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// arith, math and ub
//===----------------------------------------------------------------------===//

namespace {

bool isTensor(Type type) { return isa<RankedTensorType>(type); }

bool hasTensorResult(Operation *op) {
  return llvm::any_of(op->getResultTypes(), isTensor);
}

/// Attributes that the op itself reads. Hints of the Triton source describe a
/// whole tensor and end here.
SmallVector<NamedAttribute> getOwnAttributes(Operation *op) {
  SmallVector<NamedAttribute> own;
  for (NamedAttribute attribute : op->getAttrs())
    if (!attribute.getNameDialect())
      own.push_back(attribute);
  return own;
}

/// The scalar op of the same name, in a loop.
struct LowerMappable : ConversionPattern {
  LowerMappable(MLIRContext *context)
      : ConversionPattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
            op->getDialect()) ||
        !OpTrait::hasElementwiseMappableTraits(op) || !hasTensorResult(op))
      return rewriter.notifyMatchFailure(op, "not element-wise on tensors");

    SmallVector<Type> elementTypes;
    for (Type type : op->getResultTypes())
      elementTypes.push_back(getElementTypeOrSelf(type));
    auto body = [&](OpBuilder &builder, Location loc, ValueRange elements) {
      Operation *scalar =
          builder.create(loc, op->getName().getIdentifier(), elements,
                         elementTypes, getOwnAttributes(op));
      return SmallVector<Value>(scalar->getResults());
    };
    rewriter.replaceOp(op, mapElements(rewriter, op->getLoc(),
                                       op->getResultTypes(), operands, body));
    return success();
  }
};

/// A constant that repeats one value is a fill; other constants stay data.
struct LowerSplatConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto elements = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!elements)
      return rewriter.notifyMatchFailure(op, "not one repeated value");
    Value scalar = arith::ConstantOp::create(
        rewriter, op.getLoc(), elements.getSplatValue<TypedAttr>());
    rewriter.replaceOp(
        op, createFilledTensor(rewriter, op.getLoc(),
                               cast<RankedTensorType>(op.getType()), scalar));
    return success();
  }
};

/// A tensor of undefined elements gets zeros, so that each run is the same.
struct LowerPoison : OpConversionPattern<ub::PoisonOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ub::PoisonOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "not a tensor");
    Value zero = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getZeroAttr(type.getElementType()));
    rewriter.replaceOp(op,
                       createFilledTensor(rewriter, op.getLoc(), type, zero));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Element-wise ops of tt, for one element
//===----------------------------------------------------------------------===//

/// With `propagateNan = none` a NaN in `x` gives way to a bound; with `all` it
/// is the result. A NaN bound is undefined in Triton.
Value clamp(tt::ClampFOp op, OpBuilder &builder, Location loc, ValueRange in) {
  if (op.getPropagateNan() == tt::PropagateNan::NONE) {
    Value raised = arith::MaxNumFOp::create(builder, loc, in[0], in[1]);
    return arith::MinNumFOp::create(builder, loc, raised, in[2]);
  }
  Value raised = arith::MaximumFOp::create(builder, loc, in[0], in[1]);
  return arith::MinimumFOp::create(builder, loc, raised, in[2]);
}

Value squareRoot(tt::PreciseSqrtOp, OpBuilder &builder, Location loc,
                 ValueRange in) {
  return createExactRoot(builder, loc, in[0]);
}

Value divide(tt::PreciseDivFOp, OpBuilder &builder, Location loc,
             ValueRange in) {
  return createExactQuotient(builder, loc, in[0], in[1]);
}

Value multiplyHigh(tt::MulhiUIOp, OpBuilder &builder, Location loc,
                   ValueRange in) {
  return arith::MulUIExtendedOp::create(builder, loc, in[0], in[1]).getHigh();
}

/// `tt.approx_divf` allows an error and does not ask for one: it divides
/// exactly. Known by name, because Triton has it from 3.9 on only.
struct LowerApproxDiv : ConversionPattern {
  LowerApproxDiv(MLIRContext *context)
      : ConversionPattern("tt.approx_divf", /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    auto body = [](OpBuilder &builder, Location loc, ValueRange in) {
      Value quotient = arith::DivFOp::create(builder, loc, in[0], in[1]);
      return SmallVector<Value>{quotient};
    };
    rewriter.replaceOp(op, mapElements(rewriter, op->getLoc(),
                                       op->getResultTypes(), operands, body));
    return success();
  }
};

/// True unless the op has a lowering above.
bool isLegalArithmetic(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return !isa<SplatElementsAttr>(constant.getValue());
  return !hasTensorResult(op);
}

} // namespace

void triton_shared::populateTritonTensorsToLinalgElementwise(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerMappable, LowerSplatConstant, LowerPoison, LowerApproxDiv,
               LowerPerElement<tt::ClampFOp, clamp>,
               LowerPerElement<tt::PreciseSqrtOp, squareRoot>,
               LowerPerElement<tt::PreciseDivFOp, divide>,
               LowerPerElement<tt::MulhiUIOp, multiplyHigh>>(
      patterns.getContext());
  target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect,
                                    ub::UBDialect>(isLegalArithmetic);
}
