//===- Elementwise.cpp - One operation on all registers of a thread -------===//

#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/InlinePtx.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Anything element-wise: the same operation on vectors.
struct ConvertElementwise : ConversionPattern {
  ConvertElementwise(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op))
      return rewriter.notifyMatchFailure(op, "is not element-wise");
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), results)))
      return failure();
    if (isa<arith::BitcastOp>(op) && operands[0].getType() == results[0]) {
      rewriter.replaceOp(op, operands[0]);
      return success();
    }
    Operation *converted =
        Operation::create(op->getLoc(), op->getName(), results, operands,
                          op->getDiscardableAttrDictionary(),
                          op->getPropertiesStorage(), BlockRange(), 0);
    rewriter.insert(converted);
    rewriter.replaceOp(op, converted);
    return success();
  }
};

/// Elements that nothing has been done with lie side by side in words: the
/// upper halves of f32 that are zero below. LLVM would take each out first.
struct ConvertExtendBFloat : OpConversionPattern<arith::ExtFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<VectorType>(
        getTypeConverter()->convertType(op.getType()));
    Operation *origin = op.getIn().getDefiningOp();
    if (!type || !type.getElementType().isF32() ||
        !getElementTypeOrSelf(op.getIn().getType()).isBF16() || !origin ||
        OpTrait::hasElementwiseMappableTraits(origin))
      return rewriter.notifyMatchFailure(op, "does not widen words of bf16");
    unsigned count = type.getNumElements();
    if (count % 2)
      return rewriter.notifyMatchFailure(op, "has no whole words");
    Location loc = op.getLoc();
    auto words = VectorType::get({count / 2}, rewriter.getI32Type());
    auto splat = [&](uint32_t word) {
      return arith::ConstantOp::create(
          rewriter, loc, DenseElementsAttr::get(words, APInt(32, word)));
    };
    Value pairs =
        vector::BitCastOp::create(rewriter, loc, words, adaptor.getIn());
    Value first = arith::ShLIOp::create(rewriter, loc, pairs, splat(16));
    Value second =
        arith::AndIOp::create(rewriter, loc, pairs, splat(0xffff0000));
    Value both = vector::InterleaveOp::create(rewriter, loc, first, second);
    rewriter.replaceOpWithNewOp<vector::BitCastOp>(op, type, both);
    return success();
  }
};

/// libdevice's is an approximation, these are rounded once. The mark goes
/// along: without it, an approximation is allowed.
struct ConvertSquareRoot : OpConversionPattern<math::SqrtOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(math::SqrtOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "is of a type without a root");
    if (op->hasAttr(tts::kIsApproximate))
      return rewriter.notifyMatchFailure(op, "need not be exact");
    rewriter.replaceOp(
        op, applyIntrinsic(
                rewriter, op.getLoc(),
                element.isF32() ? kExactRootF32 : "llvm.nvvm.sqrt.rn.d",
                adaptor.getOperand(), op->getDiscardableAttrDictionary()));
    return success();
  }
};

struct ConvertConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!type || (isa<VectorType>(type) && !splat))
      return rewriter.notifyMatchFailure(op, "holds different elements");
    TypedAttr value = toRegister(splat ? splat.getSplatValue<TypedAttr>()
                                       : cast<TypedAttr>(op.getValue()));
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector, Attribute(value));
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }

private:
  /// The bits of an 8-bit float; anything else as it is.
  static TypedAttr toRegister(TypedAttr value) {
    Type held = getRegisterType(value.getType());
    if (held == value.getType())
      return value;
    return IntegerAttr::get(held,
                            cast<FloatAttr>(value).getValue().bitcastToAPInt());
  }
};

struct ConvertSplat : OpConversionPattern<cta::SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(
        op, getTypeConverter()->convertType(op.getType()), adaptor.getSource());
    return success();
  }
};

/// True in all threads of a warp if an element of `conditions` is in one.
Value createWarpAny(OpBuilder &builder, Location loc, ValueRange conditions) {
  Value any;
  for (Value condition : conditions) {
    Value ofThread = vector::ReductionOp::create(
        builder, loc, vector::CombiningKind::OR, condition);
    any = any ? arith::OrIOp::create(builder, loc, any, ofThread).getResult()
              : ofThread;
  }
  Value allLanes = arith::ConstantIntOp::create(builder, loc, -1, 32);
  return NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(), allLanes,
                                  any, NVVM::VoteSyncKind::any);
}

struct ConvertWarpAny : OpConversionPattern<cta::WarpAnyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::WarpAnyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, createWarpAny(rewriter, op.getLoc(), adaptor.getConditions()));
    return success();
  }
};

/// An instruction that LLVM does not look into.
struct ConvertOpaque : OpConversionPattern<cta::OpaqueOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::OpaqueOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    unsigned bits = op.getType().getIntOrFloatBitWidth();
    StringRef constraints = bits == 16 ? "=h,h" : bits == 32 ? "=r,r" : "=l,l";
    Value word = arith::BitcastOp::create(
        rewriter, loc, rewriter.getIntegerType(bits), adaptor.getSource());
    word = createPtx(rewriter, loc, word.getType(), word,
                     ("mov.b" + Twine(bits) + " $0, $1;").str(), constraints,
                     PtxEffects::None)
               .front();
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(
        op, adaptor.getSource().getType(), word);
    return success();
  }
};

/// A branch round the product, which all threads of a warp take together.
struct ConvertRescale : OpConversionPattern<cta::RescaleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::RescaleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value factor = adaptor.getFactor();
    auto type = cast<VectorType>(factor.getType());
    Value one = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(
            type, rewriter.getFloatAttr(type.getElementType(), 1.0)));
    Value isOther = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::UNE, factor, one);
    Value warpHasOther = createWarpAny(rewriter, loc, isOther);
    Value allLanes = arith::ConstantIntOp::create(rewriter, loc, -1, 32);
    auto choice = scf::IfOp::create(
        rewriter, loc, warpHasOther,
        [&](OpBuilder &inside, Location) {
          // LLVM takes a branch for dearer than any number of products, and
          // would compute them always; what waits stays where it is.
          NVVM::SyncWarpOp::create(inside, loc, allLanes);
          Value product =
              arith::MulFOp::create(inside, loc, adaptor.getSource(), factor);
          scf::YieldOp::create(inside, loc, product);
        },
        [&](OpBuilder &inside, Location) {
          scf::YieldOp::create(inside, loc, adaptor.getSource());
        });
    rewriter.replaceOp(op, choice.getResults());
    return success();
  }
};

/// The body, once per register.
struct ConvertMap : OpConversionPattern<cta::MapOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::MapOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<SmallVector<Value>> sources =
        llvm::map_to_vector(adaptor.getSources(), [&](Value source) {
          return unpackRegisters(rewriter, loc, source);
        });
    unsigned count =
        cta::getLayout(op.getResultTypes().front()).getNumRegisters();
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    Block &body = op.getBody().front();
    for (unsigned reg = 0; reg < count; ++reg) {
      IRMapping mapping;
      for (auto [argument, source] :
           llvm::zip_equal(body.getArguments(), sources))
        mapping.map(argument, source[reg]);
      for (Operation &inner : body.without_terminator())
        rewriter.clone(inner, mapping);
      for (auto [result, value] :
           llvm::zip_equal(results, body.getTerminator()->getOperands()))
        result.push_back(mapping.lookupOrDefault(value));
    }
    rewriter.replaceOp(op, llvm::map_to_vector(results, [&](auto &elements) {
                         return packRegisters(rewriter, loc, elements);
                       }));
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuElementwise(const TypeConverter &types,
                                                RewritePatternSet &patterns) {
  patterns.add<ConvertElementwise, ConvertConstant, ConvertSplat, ConvertMap>(
      types, patterns.getContext());
  patterns.add<ConvertExtendBFloat, ConvertSquareRoot, ConvertWarpAny,
               ConvertRescale, ConvertOpaque>(types, patterns.getContext(),
                                              /*benefit=*/2);
}
