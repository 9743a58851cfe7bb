//===- AssumedSizes.cpp - What is divided by, taken for a size ------------===//

#include "AssumedSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Analysis/UseAnalysis.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

llvm::SetVector<Value> triton_shared::findAssumedSizes(Operation *function,
                                                       AffineAnalysis &proven) {
  UseAnalysis uses(function);
  llvm::SetVector<Value> sizes;
  function->walk([&](arith::DivSIOp op) {
    Use use = uses.getUse(op.getResult());
    if (use != Use::Meta && use != Use::Mixed)
      return;
    Value divisor = op.getRhs();
    if (auto splat = divisor.getDefiningOp<tt::SplatOp>())
      divisor = splat.getSrc();
    if (isa<RankedTensorType>(divisor.getType()))
      return;
    AffineForm form = proven.getForm(divisor);
    if (proven.getRange(form.expr, form.shape).low <= 0)
      sizes.insert(divisor);
  });
  return sizes;
}

bool triton_shared::canMarkSize(Operation *function, Value size) {
  if (Operation *op = size.getDefiningOp())
    return op->getNumResults() == 1 && op->getNumRegions() == 0;
  return cast<BlockArgument>(size).getOwner()->getParentOp() == function;
}

void triton_shared::markSize(Operation *function, Value size) {
  auto mark = UnitAttr::get(function->getContext());
  if (Operation *op = size.getDefiningOp())
    return op->setAttr(tts::kSizeMark, mark);
  cast<FunctionOpInterface>(function).setArgAttr(
      cast<BlockArgument>(size).getArgNumber(), tts::kSizeMark, mark);
}
