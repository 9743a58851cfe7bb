//===- Float8.cpp - Conversions of 8-bit floats ---------------------------===//
//
// Threads hold them as bytes. A GPU from capability 8.9 on converts two at once
// to f16, which holds them all; whatever else they become is made of that.
//
//===----------------------------------------------------------------------===//

#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Transforms/SmallFloats.h"

using namespace mlir;
using namespace mlir::triton_shared;

void triton_shared::expandFloat8(ModuleOp module) {
  module.walk([](arith::ExtFOp op) {
    auto function = op->getParentOfType<func::FuncOp>();
    if (!isGpuFloat8(getElementTypeOrSelf(op.getIn())) ||
        (function && cta::getTarget(function).hasFloat8()))
      return;
    OpBuilder builder(op);
    op.replaceAllUsesWith(widenSmallFloat(builder, op.getLoc(), op.getIn(),
                                          getElementTypeOrSelf(op.getType())));
    op.erase();
  });
}

namespace {

/// Words are split as late as can be: LLVM would take each byte out first.
struct WidenFloat8 : OpConversionPattern<arith::ExtFOp> {
  WidenFloat8(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn());
    Type to = getTypeConverter()->convertType(op.getType());
    if (!isGpuFloat8(from) || !to)
      return rewriter.notifyMatchFailure(op, "widens no 8-bit floats");
    Location loc = op.getLoc();
    Value bytes = adaptor.getIn();
    if (!isa<VectorType>(bytes.getType()))
      bytes = vector::FromElementsOp::create(
          rewriter, loc, VectorType::get({1}, rewriter.getI8Type()), bytes);
    Value halves = createHalves(rewriter, loc, bytes, from);
    Value result = extend(rewriter, loc, halves, getElementTypeOrSelf(to));
    if (!isa<VectorType>(to))
      result = vector::ExtractOp::create(rewriter, loc, result, 0);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// The f16 of each byte, which is a `from`.
  static Value createHalves(OpBuilder &builder, Location loc, Value bytes,
                            Type from) {
    int64_t count = cast<VectorType>(bytes.getType()).getNumElements();
    auto pairType = VectorType::get({2}, builder.getF16Type());
    auto type = VectorType::get({count}, builder.getF16Type());
    Value halves =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    for (int64_t i = 0; i < count; i += 2) {
      int64_t last = std::min(i + 1, count - 1);
      Value pair = NVVM::ConvertF8x2ToF16x2Op::create(
          builder, loc, pairType,
          vector::ShuffleOp::create(builder, loc, bytes, bytes,
                                    ArrayRef<int64_t>{i, last}),
          /*relu=*/false, from);
      if (last == i)
        pair = vector::ExtractStridedSliceOp::create(
            builder, loc, pair, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1},
            ArrayRef<int64_t>{1});
      halves = vector::InsertStridedSliceOp::create(builder, loc, pair, halves,
                                                    ArrayRef<int64_t>{i},
                                                    ArrayRef<int64_t>{1});
    }
    return halves;
  }

  static Value extend(OpBuilder &builder, Location loc, Value halves,
                      Type element) {
    if (element.isF16())
      return halves;
    auto type = cast<VectorType>(halves.getType());
    // There is no way from f16 to bf16 but by f32, which is exact.
    Type wide = element.isBF16() ? Type(builder.getF32Type()) : element;
    Value result =
        arith::ExtFOp::create(builder, loc, type.clone(wide), halves);
    if (element.isBF16())
      result =
          arith::TruncFOp::create(builder, loc, type.clone(element), result);
    return result;
  }
};

} // namespace

void triton_shared::populateCtaToGpuFloat8(const TypeConverter &types,
                                           RewritePatternSet &patterns) {
  patterns.add<WidenFloat8>(types, patterns.getContext());
}
