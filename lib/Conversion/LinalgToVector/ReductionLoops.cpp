//===- ReductionLoops.cpp - What reductions by vectors share --------------===//

#include "ReductionLoops.h"

#include "VectorLoops.h"

using namespace mlir;
using namespace mlir::triton_shared;

ReductionLoops::ReductionLoops(linalg::GenericOp op)
    : sizes(op.getStaticLoopRanges()), vectorLoop(op.getNumLoops() - 1) {
  SmallVector<unsigned> all;
  op.getReductionDims(all);
  reduced = all.front();
}

bool ReductionLoops::canUseLanes(linalg::GenericOp op) const {
  auto getAccess = [&](OpOperand &operand) {
    return getLaneAccess(op, operand, vectorLoop);
  };
  if (llvm::any_of(sizes, ShapedType::isDynamic))
    return false;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<MemRefType>(input->get().getType()) &&
        getAccess(*input) == LaneAccess::Other)
      return false;
  return isAlongLanes() ||
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return getAccess(init) == LaneAccess::Contiguous;
         });
}

void ReductionLoops::buildOuter(
    OpBuilder &builder, Location loc,
    function_ref<void(OpBuilder &, ArrayRef<Value>)> body) const {
  SmallVector<int64_t> outer(sizes), steps(sizes.size(), 1);
  steps[vectorLoop] = lanes;
  outer.erase(outer.begin() + reduced);
  steps.erase(steps.begin() + reduced);
  buildLoops(builder, loc, outer, steps, body);
}
