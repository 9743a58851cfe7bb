//===- Messages.cpp - tt.print and tt.assert ------------------------------===//
//
// What a kernel says to its user: the same ops in `tts`, whose operands are
// numbers only.
//
//===----------------------------------------------------------------------===//

#include "MapElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// True for floats that no GPU prints: in f32 they are the same numbers.
bool isExtendedToPrint(tt::PrintOp op, Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8 &&
         !op.getHex();
}

/// A pointer is printed as its address.
struct LowerPrint : OpConversionPattern<tt::PrintOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::PrintOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values;
    SmallVector<int32_t> kinds(op.getIsSigned());
    for (auto [value, kind] : llvm::zip_equal(adaptor.getArgs(), kinds)) {
      values.push_back(value);
      if (tts::isAccessBase(value.getType())) {
        kind = tts::PrintOp::kAddress;
        values.back() = tts::ToAddressOp::create(rewriter, op.getLoc(), value);
      } else if (isExtendedToPrint(op, value.getType())) {
        values.back() = castElements<arith::ExtFOp>(
            rewriter, op.getLoc(), value, rewriter.getF32Type());
      }
    }
    rewriter.replaceOpWithNewOp<tts::PrintOp>(
        op, op.getPrefixAttr(), op.getHexAttr(),
        rewriter.getDenseI32ArrayAttr(kinds), values);
    return success();
  }
};

/// What `tt.assert` takes, any integers, as i1.
Value buildCondition(OpBuilder &builder, Location loc, Value condition) {
  Type integer = getElementTypeOrSelf(condition.getType());
  if (integer.isInteger(1))
    return condition;
  Type truth = builder.getI1Type();
  if (auto tensor = dyn_cast<RankedTensorType>(condition.getType()))
    truth = tensor.clone(truth);
  auto body = [&](OpBuilder &inner, Location place, ValueRange in) {
    Value zero = createScalar(inner, place, integer, 0);
    Value isTrue = arith::CmpIOp::create(inner, place, arith::CmpIPredicate::ne,
                                         in[0], zero);
    return SmallVector<Value>{isTrue};
  };
  return mapElements(builder, loc, truth, condition, body).front();
}

struct LowerAssert : OpConversionPattern<tt::AssertOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::AssertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value condition =
        buildCondition(rewriter, op.getLoc(), adaptor.getCondition());
    rewriter.replaceOpWithNewOp<tts::AssertOp>(op, condition,
                                               op.getMessageAttr());
    return success();
  }
};

/// Each element of a block is asked for by itself.
struct LowerAssertToCf : OpConversionPattern<tt::AssertOp> {
  LowerAssertToCf(MLIRContext *context)
      : OpConversionPattern(context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(tt::AssertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value condition = buildCondition(rewriter, loc, adaptor.getCondition());
    auto block = dyn_cast<RankedTensorType>(condition.getType());
    if (!block) {
      rewriter.replaceOpWithNewOp<cf::AssertOp>(op, condition,
                                                op.getMessageAttr());
      return success();
    }
    SmallVector<AffineMap> maps{
        rewriter.getMultiDimIdentityMap(block.getRank())};
    SmallVector<utils::IteratorType> iterators(block.getRank(),
                                               utils::IteratorType::parallel);
    linalg::GenericOp::create(
        rewriter, loc, TypeRange(), condition, ValueRange(), maps, iterators,
        [&](OpBuilder &builder, Location place, ValueRange elements) {
          cf::AssertOp::create(builder, place, elements[0],
                               op.getMessageAttr());
          linalg::YieldOp::create(builder, place);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgMessages(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerPrint, LowerAssert>(patterns.getContext());
}

void triton_shared::populateTritonTensorsToLinalgAssertsToCf(
    RewritePatternSet &patterns) {
  patterns.add<LowerAssertToCf>(patterns.getContext());
}
