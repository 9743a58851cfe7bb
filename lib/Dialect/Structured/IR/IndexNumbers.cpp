//===- IndexNumbers.cpp - Numbers as accesses take them -------------------===//

#include "triton-shared/Dialect/Structured/IR/IndexNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

Value tts::extendToI64(OpBuilder &builder, Location loc, Value value) {
  Type i64 = builder.getI64Type();
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, i64, value);
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    i64 = tensor.clone(i64);
  if (value.getType() == i64)
    return value;
  return arith::ExtSIOp::create(builder, loc, i64, value);
}
