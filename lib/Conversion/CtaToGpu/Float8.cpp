//===- Float8.cpp - Conversions of 8-bit floats ---------------------------===//
//
// Threads hold them as bytes. A GPU from capability 8.9 on converts two at once
// to f16, which holds them all; whatever else they become is made of that. It
// narrows two at once from f32 or f16, and cuts what is out of range.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Transforms/SmallFloats.h"

using namespace mlir;
using namespace mlir::triton_shared;

static bool isFloat8(Type type) { return type.getIntOrFloatBitWidth() == 8; }

/// True if `op` is for a GPU that converts 8-bit floats.
static bool hasFloat8(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return function && cta::getTarget(function).hasFloat8();
}

void triton_shared::expandFloat8(ModuleOp module) {
  module.walk([](arith::ExtFOp op) {
    Type type = getElementTypeOrSelf(op.getIn());
    if (!isFloat8(type) || (isGpuWidening(op) && hasFloat8(op)))
      return;
    OpBuilder builder(op);
    op.replaceAllUsesWith(widenSmallFloat(builder, op.getLoc(), op.getIn(),
                                          getElementTypeOrSelf(op.getType())));
    op.erase();
  });
  module.walk([](arith::TruncFOp op) {
    Type type = getElementTypeOrSelf(op.getType());
    if (!isFloat8(type) || (isGpuNarrowing(op) && hasFloat8(op)))
      return;
    OpBuilder builder(op);
    op.replaceAllUsesWith(narrowSmallFloat(builder, op.getLoc(), op.getIn(),
                                           cast<FloatType>(type)));
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
    if (!isGpuWidening(op) || !to)
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
    SmallVector<Value> halves;
    for (int64_t i = 0; i < count; i += 2) {
      int64_t last = std::min(i + 1, count - 1);
      Value pair = NVVM::ConvertF8x2ToF16x2Op::create(
          builder, loc, pairType,
          vector::ShuffleOp::create(builder, loc, bytes, bytes,
                                    ArrayRef<int64_t>{i, last}),
          /*relu=*/false, from);
      llvm::append_range(halves, unpackRegisters(builder, loc, pair));
    }
    return packRegisters(builder, loc, ArrayRef(halves).take_front(count));
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

/// Pairs stay words of 16 bits until all bytes are there.
struct NarrowFloat8 : OpConversionPattern<arith::TruncFOp> {
  NarrowFloat8(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type to = getTypeConverter()->convertType(op.getType());
    if (!isGpuNarrowing(op) || !to)
      return rewriter.notifyMatchFailure(op, "narrows to no 8-bit floats");
    Location loc = op.getLoc();
    // The instruction cuts by itself.
    Value wide = rewriter.getRemappedValue(findSaturated(op));
    SmallVector<Value> elements = unpackRegisters(rewriter, loc, wide);
    SmallVector<Value> pairs;
    Type format = getElementTypeOrSelf(op.getType());
    for (size_t i = 0; i < elements.size(); i += 2) {
      Value upper = elements[std::min(i + 1, elements.size() - 1)];
      pairs.push_back(createPair(rewriter, loc, elements[i], upper, format));
    }
    Value words = packRegisters(rewriter, loc, pairs);
    auto type =
        VectorType::get({2 * int64_t(pairs.size())}, rewriter.getI8Type());
    Value bytes = vector::BitCastOp::create(rewriter, loc, type, words);
    if (elements.size() == 1)
      bytes = vector::ExtractStridedSliceOp::create(
          rewriter, loc, bytes, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1},
          ArrayRef<int64_t>{1});
    if (!isa<VectorType>(to))
      bytes = vector::ExtractOp::create(rewriter, loc, bytes, 0);
    rewriter.replaceOp(op, bytes);
    return success();
  }

private:
  /// Two floats as bytes of an i16.
  static Value createPair(OpBuilder &builder, Location loc, Value lower,
                          Value upper, Type format) {
    Type i16 = builder.getI16Type();
    if (lower.getType().isF16())
      return NVVM::ConvertF16x2ToF8x2Op::create(
          builder, loc, i16, packRegisters(builder, loc, {lower, upper}),
          /*relu=*/false, format);
    Type f32 = builder.getF32Type();
    if (lower.getType().isBF16()) {
      lower = arith::ExtFOp::create(builder, loc, f32, lower);
      upper = arith::ExtFOp::create(builder, loc, f32, upper);
    }
    return NVVM::ConvertF32x2ToF8x2Op::create(
        builder, loc, i16, upper, lower, NVVM::FPRoundingMode::RN,
        NVVM::SaturationMode::SATFINITE, /*relu=*/false, format);
  }
};

} // namespace

void triton_shared::populateCtaToGpuFloat8(const TypeConverter &types,
                                           RewritePatternSet &patterns) {
  patterns.add<WidenFloat8, NarrowFloat8>(types, patterns.getContext());
}
