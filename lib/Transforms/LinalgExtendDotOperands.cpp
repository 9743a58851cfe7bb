//===- LinalgExtendDotOperands.cpp - Operands that tensor cores take ------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
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

/// The parallel loops of `op`, of `inputs` and with a result of `type`.
static Value
repeatLoops(OpBuilder &builder, linalg::GenericOp op, ValueRange inputs,
            Type type,
            llvm::function_ref<Value(OpBuilder &, ValueRange)> body) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  Value empty = tensor::EmptyOp::create(builder, loc, shape, type);
  auto repeated = linalg::GenericOp::create(
      builder, loc, empty.getType(), inputs, empty, op.getIndexingMapsArray(),
      op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location, ValueRange arguments) {
        linalg::YieldOp::create(b, loc, body(b, arguments));
      });
  repeated->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return repeated.getResult(0);
}

/// True for scales that were decoded of 8 bits, which bf16 holds.
static bool isExactScale(Value scale) {
  while (auto expand = scale.getDefiningOp<tensor::ExpandShapeOp>())
    scale = expand.getSrc();
  auto decoded = scale.getDefiningOp<linalg::GenericOp>();
  return decoded && llvm::all_of(decoded.getInputs(), [](Value input) {
           return getElementTypeOrSelf(input).getIntOrFloatBitWidth() <= 8;
         });
}

/// The factors of a block that is a product element by element: what may be
/// widened, by a scale. Null if `op` is something else.
static arith::MulFOp findScaling(linalg::GenericOp op) {
  Block &body = op.getRegion().front();
  auto product =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>();
  if (!product || op.getNumDpsInputs() != 2 ||
      product.getRhs() != body.getArgument(1))
    return nullptr;
  Value element = product.getLhs();
  if (auto widened = element.getDefiningOp<arith::ExtFOp>())
    element = widened.getIn();
  return element == body.getArgument(0) ? product : nullptr;
}

/// `operand`, whose elements all are exact as bf16, as that. What they are
/// computed of is exact, too: 4-bit floats, and blocks and their scales, so
/// that these are multiplied as bf16, two at a time.
static Value convertExact(OpBuilder &builder, Value operand) {
  Type type = builder.getBF16Type();
  if (auto collapse = operand.getDefiningOp<tensor::CollapseShapeOp>()) {
    Value source = convertExact(builder, collapse.getSrc());
    return tensor::CollapseShapeOp::create(
        builder, collapse.getLoc(),
        cast<RankedTensorType>(operand.getType()).clone(type), source,
        collapse.getReassociationIndices());
  }
  auto loops = operand.getDefiningOp<linalg::GenericOp>();
  if (loops && loops->hasAttr(tts::kUnpacksE2M1)) {
    IRMapping mapping;
    return repeatLoops(
        builder, loops, loops.getInputs(), type,
        [&](OpBuilder &b, ValueRange arguments) -> Value {
          Block &body = loops.getRegion().front();
          mapping.map(body.getArguments(), arguments);
          for (Operation &op : body.without_terminator())
            b.clone(op, mapping);
          Value element = mapping.lookup(body.getTerminator()->getOperand(0));
          return arith::TruncFOp::create(b, loops.getLoc(), type, element);
        });
  }
  if (!loops || !findScaling(loops) || !isExactScale(loops.getInputs()[1]))
    return convert(builder, operand, type);
  SmallVector<Value> factors(loops.getInputs());
  if (getElementTypeOrSelf(factors[0]).isF32())
    factors[0] = convertExact(builder, factors[0]);
  factors[1] = convertExact(builder, factors[1]);
  return repeatLoops(
      builder, loops, factors, type,
      [&](OpBuilder &b, ValueRange arguments) -> Value {
        Value element = arguments[0];
        if (element.getType() != type)
          element = arith::ExtFOp::create(b, loops.getLoc(), type, element);
        return arith::MulFOp::create(b, loops.getLoc(), element, arguments[1]);
      });
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
          ValueRange(op.getDpsInputs()), [&](Value operand) {
            return isRounded ? convert(builder, operand, type)
                             : convertExact(builder, operand);
          });
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
