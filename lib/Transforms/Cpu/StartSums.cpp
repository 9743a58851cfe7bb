//===- StartSums.cpp - Sums begin with what they add first ----------------===//
//
// The documented form of a reduction has a start, 0.0 for a sum, where `tt` has
// none: the sum of a -0.0 alone is -0.0 there, and -0.0 the number that leaves
// every other one what it is.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Analysis/FilledTensors.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUSTARTSUMS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Whether `op` is a sum of floats that starts with one block.
bool isSum(linalg::ReduceOp op) {
  if (op.getInits().size() != 1)
    return false;
  Operation *combiner =
      op.getCombiner().front().getTerminator()->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::AddFOp>(combiner);
}

/// The operand of the operation that makes `start` which says what all its
/// elements are; null if that is not 0.0.
OpOperand *findZero(Value start) {
  OpOperand *scalar = findFiller(start);
  return scalar && matchPattern(scalar->get(), m_PosZeroFloat()) ? scalar
                                                                 : nullptr;
}

/// A copy of what makes `start`, of which `zero` is an operand, with -0.0.
Value startWithNegativeZero(Value start, OpOperand &zero) {
  Operation *maker = start.getDefiningOp();
  OpBuilder builder(maker);
  auto type = cast<FloatType>(zero.get().getType());
  auto negative = APFloat::getZero(type.getFloatSemantics(), /*Negative=*/true);
  Operation *copy = builder.clone(*maker);
  builder.setInsertionPoint(copy);
  copy->setOperand(zero.getOperandNumber(),
                   arith::ConstantOp::create(builder, maker->getLoc(),
                                             FloatAttr::get(type, negative)));
  return copy->getResult(0);
}

struct CpuStartSums : triton_shared::impl::CpuStartSumsBase<CpuStartSums> {
  void runOnOperation() override {
    getOperation()->walk([](linalg::ReduceOp op) {
      OpOperand &init = op.getInitsMutable()[0];
      OpOperand *zero = isSum(op) ? findZero(init.get()) : nullptr;
      if (!zero)
        return;
      Operation *maker = init.get().getDefiningOp();
      init.set(startWithNegativeZero(init.get(), *zero));
      if (maker->use_empty())
        maker->erase();
    });
  }
};

} // namespace
