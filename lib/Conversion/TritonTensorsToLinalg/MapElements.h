//===- MapElements.h - One loop over the elements of tensors ----*- C++ -*-===//
//
// What the topics of the pass share: fresh tensors, and `linalg.generic` over
// operands of one shape. Everything here also takes scalars, because Triton's
// element-wise ops do.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_MAPELEMENTS_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_MAPELEMENTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::triton_shared {

/// Computes the result elements from the operand elements.
using ElementBody =
    llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;

/// A tensor without defined contents.
Value createEmptyTensor(OpBuilder &builder, Location loc,
                        RankedTensorType type);

/// A tensor whose elements are all `scalar`.
Value createFilledTensor(OpBuilder &builder, Location loc,
                         RankedTensorType type, Value scalar);

/// Runs `body` once per element. Operands are tensors of the shape of the
/// results, or scalars that count for each element; if the results are scalars
/// `body` is built in place, without a loop.
SmallVector<Value> mapElements(OpBuilder &builder, Location loc,
                               TypeRange resultTypes, ValueRange operands,
                               ElementBody body);

/// `operand` with its elements converted by `CastOp`.
template <typename CastOp>
Value castElements(OpBuilder &builder, Location loc, Value operand,
                   Type elementType) {
  Type type = elementType;
  if (auto tensorType = dyn_cast<RankedTensorType>(operand.getType()))
    type = tensorType.clone(elementType);
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    return SmallVector<Value>{CastOp::create(b, loc, elementType, args[0])};
  };
  return mapElements(builder, loc, type, operand, body).front();
}

/// The constant `value`, an integer or a float as `type` asks.
Value createScalar(OpBuilder &builder, Location loc, Type type, double value);

/// Lowers an op with one result that `compute` can build for one element.
template <typename OpTy,
          Value (*compute)(OpTy, OpBuilder &, Location, ValueRange)>
struct LowerPerElement : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto body = [&](OpBuilder &builder, Location loc, ValueRange elements) {
      return SmallVector<Value>{compute(op, builder, loc, elements)};
    };
    rewriter.replaceOp(op,
                       mapElements(rewriter, op.getLoc(), op->getResultTypes(),
                                   adaptor.getOperands(), body));
    return success();
  }
};

/// A quotient that is rounded once, also where the target divides faster.
Value createExactQuotient(OpBuilder &builder, Location loc, Value dividend,
                          Value divisor);

/// A square root that is rounded once, also where the target has a faster one.
Value createExactRoot(OpBuilder &builder, Location loc, Value value);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_MAPELEMENTS_H
