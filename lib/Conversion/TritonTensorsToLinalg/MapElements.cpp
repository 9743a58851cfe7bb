//===- MapElements.cpp - One loop over the elements of tensors ------------===//
//
// An element-wise loop is a `linalg.generic` with identity maps into a fresh
// tensor. Scalars are captured: they need no map and stay out of the way of
// fusion.
//
//===----------------------------------------------------------------------===//

#include "MapElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;

Value triton_shared::createEmptyTensor(OpBuilder &builder, Location loc,
                                       RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                 type.getElementType());
}

Value triton_shared::createFilledTensor(OpBuilder &builder, Location loc,
                                        RankedTensorType type, Value scalar) {
  Value empty = createEmptyTensor(builder, loc, type);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

Value triton_shared::createScalar(OpBuilder &builder, Location loc, Type type,
                                  double value) {
  TypedAttr attribute = isa<FloatType>(type)
                            ? TypedAttr(builder.getFloatAttr(type, value))
                            : TypedAttr(builder.getIntegerAttr(
                                  type, static_cast<int64_t>(value)));
  return arith::ConstantOp::create(builder, loc, attribute);
}

SmallVector<Value> triton_shared::mapElements(OpBuilder &builder, Location loc,
                                              TypeRange resultTypes,
                                              ValueRange operands,
                                              ElementBody body) {
  if (!isa<RankedTensorType>(resultTypes.front()))
    return body(builder, loc, operands);

  SmallVector<Value> inputs, outputs;
  for (Value operand : operands)
    if (isa<RankedTensorType>(operand.getType()))
      inputs.push_back(operand);
  for (Type type : resultTypes)
    outputs.push_back(
        createEmptyTensor(builder, loc, cast<RankedTensorType>(type)));

  int64_t rank = cast<RankedTensorType>(resultTypes.front()).getRank();
  SmallVector<AffineMap> maps(inputs.size() + outputs.size(),
                              builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, resultTypes, inputs, outputs, maps, loops,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
        SmallVector<Value> elements(operands);
        auto argument = arguments.begin();
        for (Value &element : elements)
          if (isa<RankedTensorType>(element.getType()))
            element = *argument++;
        linalg::YieldOp::create(nested, nestedLoc,
                                body(nested, nestedLoc, elements));
      });
  return SmallVector<Value>(generic.getResults());
}

Value triton_shared::createExactQuotient(OpBuilder &builder, Location loc,
                                         Value dividend, Value divisor) {
  auto quotient = arith::DivFOp::create(builder, loc, dividend, divisor);
  quotient->setAttr(tts::kIsPrecise, builder.getUnitAttr());
  return quotient;
}

Value triton_shared::createExactRoot(OpBuilder &builder, Location loc,
                                     Value value) {
  auto root = math::SqrtOp::create(builder, loc, value);
  root->setAttr(tts::kIsPrecise, builder.getUnitAttr());
  return root;
}
