//===- Dot.cpp - tt.dot to linalg.matmul ----------------------------------===//
//
// The accumulator is the destination of the product. How operands may be
// rounded first, and how exact sums of 8-bit floats must be, stay as
// attributes, for the leg that executes the product.
//
//===----------------------------------------------------------------------===//

#include "MapElements.h"
#include "Product.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value triton_shared::createProduct(OpBuilder &builder, Location loc, Value a,
                                   Value b, Value accumulator,
                                   ArrayRef<NamedAttribute> attributes) {
  Type elementType = getElementTypeOrSelf(accumulator);
  bool isSmallFloat =
      isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32;
  if (isSmallFloat)
    accumulator = castElements<arith::ExtFOp>(builder, loc, accumulator,
                                              builder.getF32Type());

  auto type = cast<RankedTensorType>(accumulator.getType());
  Value product;
  if (type.getRank() == 3)
    product =
        linalg::BatchMatmulOp::create(builder, loc, TypeRange{type},
                                      ValueRange{a, b}, accumulator, attributes)
            .getResult(0);
  else
    product =
        linalg::MatmulOp::create(builder, loc, TypeRange{type},
                                 ValueRange{a, b}, accumulator, attributes)
            .getResult(0);
  if (isSmallFloat)
    return castElements<arith::TruncFOp>(builder, loc, product, elementType);
  return product;
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

namespace {

/// `tt.dot %a, %b, %c` becomes `linalg.matmul ins(%a, %b) outs(%c)`.
struct LowerDot : OpConversionPattern<tt::DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, createProduct(rewriter, op.getLoc(), adaptor.getA(),
                                         adaptor.getB(), adaptor.getC(),
                                         getAttributes(op)));
    return success();
  }

private:
  static bool isSmallFloat(Value operand) {
    auto type = dyn_cast<FloatType>(getElementTypeOrSelf(operand));
    return type && type.getWidth() == 8;
  }

  /// Operands of other types than f32 are exact in all these precisions, and
  /// sums of other products than those of 8-bit floats are in f32.
  static SmallVector<NamedAttribute> getAttributes(tt::DotOp op) {
    Builder builder(op.getContext());
    SmallVector<NamedAttribute> attributes;
    if (op.getInputPrecision() != tt::InputPrecision::IEEE &&
        getElementTypeOrSelf(op.getA()).isF32())
      attributes.push_back(builder.getNamedAttr(
          tts::kInputPrecision,
          builder.getStringAttr(
              tt::stringifyInputPrecision(op.getInputPrecision()))));
    if (op.getMaxNumImpreciseAcc() != 0 && isSmallFloat(op.getA()) &&
        isSmallFloat(op.getB()))
      attributes.push_back(builder.getNamedAttr(
          tts::kMaxNumImpreciseAcc, op.getMaxNumImpreciseAccAttr()));
    if (getElementTypeOrSelf(op.getC()).isF16())
      attributes.push_back(
          builder.getNamedAttr(tts::kAddsInHalf, builder.getUnitAttr()));
    return attributes;
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgDot(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerDot>(patterns.getContext());
  target.addLegalDialect<linalg::LinalgDialect, tensor::TensorDialect>();
}
