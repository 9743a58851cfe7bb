//===- FilledTensors.cpp - Tensors of equal elements ----------------------===//

#include "triton-shared/Analysis/FilledTensors.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

OpOperand *triton_shared::findFiller(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return fill.getDpsInputOperand(0);
  auto insert = tensor.getDefiningOp<tensor::InsertOp>();
  return insert && insert.getType().getRank() == 0 ? &insert.getScalarMutable()
                                                   : nullptr;
}
