//===- OperandTiles.cpp - Tiles that products read in their order ---------===//

#include "OperandTiles.h"

#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"

using namespace mlir;
using namespace mlir::triton_shared;

OperandTile triton_shared::getOperandTile(Value operand) {
  auto transpose = operand.getDefiningOp<cta::TransposeOp>();
  return {transpose ? Value(transpose.getSource()) : operand, transpose};
}

OpOperand *triton_shared::findFactor(Value tile) {
  SmallVector<Value> shown = {tile};
  for (Operation *user : tile.getUsers())
    if (isa<cta::TransposeOp>(user))
      shown.push_back(user->getResult(0));
  for (Value operand : shown)
    for (OpOperand &use : operand.getUses()) {
      auto dot = dyn_cast<cta::DotOp>(use.getOwner());
      if (dot && !dot.getInstruction() &&
          dot->getBlock() == tile.getParentBlock() &&
          &use != &dot.getAccumulatorMutable())
        return &use;
    }
  return nullptr;
}

bool triton_shared::canReadOperand(OpOperand &operand, cta::BufferType buffer) {
  if (!cast<cta::DotOp>(operand.getOwner()).getInstruction())
    return true;
  cta::TransposeOp transpose = getOperandTile(operand.get()).transpose;
  return buffer.getShape().size() == 2 &&
         cta::describeMatrix(
             transpose ? buffer.transpose(transpose.getPermutation()) : buffer,
             operand);
}

Value triton_shared::createOperandBuffer(OpBuilder &builder, Value operand,
                                         Value buffer) {
  cta::TransposeOp transpose = getOperandTile(operand).transpose;
  return transpose
             ? cta::TransposeBufferOp::create(builder, operand.getLoc(), buffer,
                                              transpose.getPermutation())
             : buffer;
}

SmallVector<OpOperand *> triton_shared::findSharedReads(Value tile,
                                                        Block *block) {
  SmallVector<OpOperand *> reads;
  auto add = [&](Value operand) {
    for (OpOperand &use : operand.getUses()) {
      auto dot = dyn_cast<cta::DotOp>(use.getOwner());
      if (dot && dot->getBlock() == block && dot.isReadFromShared(use))
        reads.push_back(&use);
    }
  };
  add(tile);
  for (Operation *user : tile.getUsers())
    if (auto transpose = dyn_cast<cta::TransposeOp>(user))
      add(transpose);
  return reads;
}
