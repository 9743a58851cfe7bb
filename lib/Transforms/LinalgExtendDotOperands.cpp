//===- LinalgExtendDotOperands.cpp - Operands that tensor cores take ------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_LINALGEXTENDDOTOPERANDS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// The elements of `operand` as `type`, which holds them all.
static Value convert(OpBuilder &builder, Value operand, Type type) {
  auto tensor = cast<RankedTensorType>(operand.getType());
  if (tensor.getElementType() == type)
    return operand;
  bool isNarrower =
      tensor.getElementTypeBitWidth() > type.getIntOrFloatBitWidth();
  Location loc = operand.getLoc();
  Value empty = tensor::EmptyOp::create(builder, loc, tensor.getShape(), type);
  AffineMap identity = builder.getMultiDimIdentityMap(tensor.getRank());
  SmallVector<utils::IteratorType> loops(tensor.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), operand, empty,
             ArrayRef<AffineMap>{identity, identity}, loops,
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               Value element = arguments.front();
               element =
                   isNarrower
                       ? Value(arith::TruncFOp::create(b, loc, type, element))
                       : arith::ExtFOp::create(b, loc, type, element);
               linalg::YieldOp::create(b, loc, element);
             })
      .getResult(0);
}

/// The same product of `operands`; its region has their types, so it is a new
/// operation.
template <typename OpTy>
static void replaceProduct(OpBuilder &builder, OpTy op, ValueRange operands,
                           ArrayRef<NamedAttribute> attributes) {
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
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op))
        return;
      OpBuilder builder(op);
      auto exactIn = op->getAttrOfType<StringAttr>(tts::kExactIn);
      if (!exactIn)
        return;
      bool isRounded = exactIn.getValue() == "tf32";
      Type type =
          isRounded ? Type(builder.getF32Type()) : builder.getBF16Type();
      SmallVector<Value> operands = llvm::map_to_vector(
          ValueRange(op.getDpsInputs()),
          [&](Value operand) { return convert(builder, operand, type); });
      NamedAttrList attributes(op->getDiscardableAttrDictionary());
      attributes.erase(tts::kExactIn);
      if (isRounded)
        attributes.set(tts::kInputPrecision, exactIn);
      if (auto matmul = dyn_cast<linalg::MatmulOp>(op.getOperation()))
        replaceProduct(builder, matmul, operands, attributes);
      else
        replaceProduct(builder, cast<linalg::BatchMatmulOp>(op.getOperation()),
                       operands, attributes);
    });
  }
};

} // namespace
