//===- ExtendDotOperands.cpp - 8-bit floats into matrix products ----------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Conversion/LinalgToGpu.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_LINALGEXTENDDOTOPERANDS
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

static bool isSmallFloat(Value value) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
  return type && type.getWidth() == 8;
}

/// The elements of `operand` as f16, which holds them all.
static Value extend(OpBuilder &builder, Value operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  Location loc = operand.getLoc();
  Type f16 = builder.getF16Type();
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), f16);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), operand, empty,
             ArrayRef<AffineMap>{identity, identity}, loops,
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               Value wide =
                   arith::ExtFOp::create(b, loc, f16, arguments.front());
               linalg::YieldOp::create(b, loc, wide);
             })
      .getResult(0);
}

/// The same product of `operands`; its region has their types, so it is a new
/// operation.
template <typename OpTy>
static void replaceProduct(OpBuilder &builder, OpTy op, ValueRange operands) {
  SmallVector<NamedAttribute> attributes(op->getDiscardableAttrs());
  auto product =
      OpTy::create(builder, op.getLoc(), op->getResultTypes(), operands,
                   ValueRange(op.getOutputs()), attributes);
  op->replaceAllUsesWith(product->getResults());
  op->erase();
}

namespace {

struct LinalgExtendDotOperands
    : triton_shared::impl::LinalgExtendDotOperandsBase<
          LinalgExtendDotOperands> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op) ||
          llvm::none_of(op.getDpsInputs(), isSmallFloat))
        return;
      builder.setInsertionPoint(op);
      SmallVector<Value> operands(op.getDpsInputs());
      for (Value &operand : operands)
        if (isSmallFloat(operand))
          operand = extend(builder, operand);
      if (auto matmul = dyn_cast<linalg::MatmulOp>(op.getOperation()))
        replaceProduct(builder, matmul, operands);
      else
        replaceProduct(builder, cast<linalg::BatchMatmulOp>(op.getOperation()),
                       operands);
    });
  }
};

} // namespace
