//===- Program.cpp - The frame of a kernel --------------------------------===//
//
// A kernel becomes a func.func that computes one program of the grid. It is
// told which one by hidden parameters, and gets each pointer as an unranked
// memref.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// Functions and the grid
//===----------------------------------------------------------------------===//

namespace {

/// What a function takes and gives once its types are converted.
struct Signature {
  TypeConverter::SignatureConversion inputs;
  SmallVector<Type> results;
};

/// The signature of `function`, with the grid and the program behind if
/// `hasProgramIds`; nothing if a type is unknown.
std::optional<Signature> convertSignature(tt::FuncOp function,
                                          const TypeConverter &types,
                                          bool hasProgramIds) {
  FunctionType type = function.getFunctionType();
  Signature signature = {
      TypeConverter::SignatureConversion(type.getNumInputs()), {}};
  if (failed(types.convertSignatureArgs(type.getInputs(), signature.inputs)) ||
      failed(types.convertTypes(type.getResults(), signature.results)))
    return std::nullopt;
  if (hasProgramIds)
    signature.inputs.addInputs(
        SmallVector<Type>(std::size(tts::kGridAndProgram),
                          IntegerType::get(function.getContext(), 32)));
  return signature;
}

struct LowerFunc : OpConversionPattern<tt::FuncOp> {
  LowerFunc(const TypeConverter &types, MLIRContext *context,
            bool hasProgramIds)
      : OpConversionPattern(types, context), hasProgramIds(hasProgramIds) {}

  LogicalResult
  matchAndRewrite(tt::FuncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<Signature> signature =
        convertSignature(op, *getTypeConverter(), hasProgramIds);
    if (!signature)
      return rewriter.notifyMatchFailure(op, "unknown type in the signature");
    auto function = func::FuncOp::create(
        rewriter, op.getLoc(), op.getName(),
        rewriter.getFunctionType(signature->inputs.getConvertedTypes(),
                                 signature->results));
    // Public is what a function is if it does not say otherwise.
    if (op.getSymVisibility() == "private")
      function.setPrivate();
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (attribute.getNameDialect())
        function->setDiscardableAttr(attribute.getName(), attribute.getValue());
    for (unsigned i = 0; i < op.getNumArguments(); ++i)
      if (DictionaryAttr attributes = op.getArgAttrDict(i))
        function.setArgAttrs(i, attributes);
    if (hasProgramIds)
      tts::KernelSignature::nameLast(function, tts::kGridAndProgram);

    rewriter.inlineRegionBefore(op.getBody(), function.getBody(),
                                function.end());
    if (!function.isExternal() &&
        failed(rewriter.convertRegionTypes(
            &function.getBody(), *getTypeConverter(), &signature->inputs)))
      return rewriter.notifyMatchFailure(op, "unknown type in a block");
    rewriter.eraseOp(op);
    return success();
  }

private:
  bool hasProgramIds;
};

/// A function of Triton that stays one: its pointers become memrefs.
struct ConvertFunc : OpConversionPattern<tt::FuncOp> {
  ConvertFunc(const TypeConverter &types, MLIRContext *context,
              bool hasProgramIds)
      : OpConversionPattern(types, context), hasProgramIds(hasProgramIds) {}

  LogicalResult
  matchAndRewrite(tt::FuncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<Signature> signature =
        convertSignature(op, *getTypeConverter(), hasProgramIds);
    if (!signature)
      return rewriter.notifyMatchFailure(op, "unknown type in the signature");
    SmallVector<DictionaryAttr> attributes;
    op.getAllArgAttrs(attributes);
    attributes.resize(signature->inputs.getConvertedTypes().size(),
                      rewriter.getDictionaryAttr({}));
    if (!op.isExternal() &&
        failed(rewriter.convertRegionTypes(&op.getBody(), *getTypeConverter(),
                                           &signature->inputs)))
      return rewriter.notifyMatchFailure(op, "unknown type in a block");
    rewriter.modifyOpInPlace(op, [&] {
      op.setFunctionType(rewriter.getFunctionType(
          signature->inputs.getConvertedTypes(), signature->results));
      op.setAllArgAttrs(attributes);
      if (hasProgramIds)
        tts::KernelSignature::nameLast(op, tts::kGridAndProgram);
    });
    return success();
  }

private:
  bool hasProgramIds;
};

struct ConvertReturn : OpConversionPattern<tt::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ReturnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.modifyOpInPlace(op, [&] { op->setOperands(adaptor.getSrcs()); });
    return success();
  }
};

struct LowerReturn : OpConversionPattern<tt::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ReturnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<func::ReturnOp>(op, adaptor.getSrcs());
    return success();
  }
};

/// A question about the grid is answered by a hidden parameter, for each axis
/// one of `kinds`.
template <typename OpTy, const tts::ParameterKind (&kinds)[3]>
struct LowerGridQuestion : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto function = op->template getParentOfType<FunctionOpInterface>();
    BlockArgument answer;
    if (function)
      answer = tts::KernelSignature(function).find(kinds[op.getAxisAsInt()]);
    if (!answer)
      return rewriter.notifyMatchFailure(op, "not in a converted kernel");
    rewriter.replaceOp(op, answer);
    return success();
  }
};

/// For what has no meaning where the elements of a program run in order.
struct EraseByName : ConversionPattern {
  EraseByName(StringRef name, MLIRContext *context)
      : ConversionPattern(name, /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value>,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// Barriers of Triton are upstream's.
struct KeepBarrier : OpConversionPattern<tt::gpu::BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::gpu::BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<gpu::BarrierOp>(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// The same address with another type of element.
struct LowerPointerBitcast : OpConversionPattern<tt::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::BitcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<tt::PointerType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a pointer");
    Type type = getTypeConverter()->convertType(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "pointer to a block");
    if (type == adaptor.getSrc().getType()) {
      rewriter.replaceOp(op, adaptor.getSrc());
      return success();
    }
    Value address =
        tts::ToAddressOp::create(rewriter, op.getLoc(), adaptor.getSrc());
    rewriter.replaceOpWithNewOp<tts::FromAddressOp>(op, type, address);
    return success();
  }
};

/// An op that only passes pointers on or accesses memory through them keeps its
/// name and gets other types.
struct ConvertPointerTypes : ConversionPattern {
  ConvertPointerTypes(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_present<tts::TTSDialect>(op->getDialect()) &&
        !isa<arith::SelectOp, ub::PoisonOp>(op))
      return rewriter.notifyMatchFailure(op, "not an op on pointers");
    if (getTypeConverter()->isLegal(op))
      return rewriter.notifyMatchFailure(op, "no pointer left");
    FailureOr<Operation *> converted =
        convertOpResultTypes(op, operands, *getTypeConverter(), rewriter);
    if (failed(converted))
      return failure();
    rewriter.replaceOp(op, (*converted)->getResults());
    return success();
  }
};

} // namespace

/// Global memory, and what of it is constant, is the memory that a memref is in
/// unless it says otherwise.
static Attribute getMemorySpace(tt::PointerType type) {
  constexpr int globalSpace = 1, constantSpace = 4;
  int space = type.getAddressSpace();
  if (space == globalSpace || space == constantSpace)
    return nullptr;
  return IntegerAttr::get(IntegerType::get(type.getContext(), 64), space);
}

void triton_shared::addPointerConversion(TypeConverter &types) {
  types.addConversion([](Type type) { return type; });
  types.addConversion([](RankedTensorType type) -> std::optional<Type> {
    if (isa<tt::PointerType>(type.getElementType()))
      return Type();
    return type;
  });
  types.addConversion([](tt::PointerType type) -> std::optional<Type> {
    Type element = type.getPointeeType();
    if (isa<tt::PointerType>(element))
      element = IntegerType::get(type.getContext(), 64);
    if (element.isInteger(1))
      element = IntegerType::get(type.getContext(), 8);
    if (!element.isIntOrFloat())
      return Type();
    return UnrankedMemRefType::get(element, getMemorySpace(type));
  });
}

void triton_shared::populateTritonTensorsToLinalgProgram(
    const TypeConverter &types, RewritePatternSet &patterns,
    ConversionTarget &target, const TritonTensorsToLinalgOptions &options) {
  MLIRContext *context = patterns.getContext();
  bool hasProgramIds = !options.keepsProgramIds;
  if (options.keepsFunctions) {
    patterns.add<ConvertFunc>(types, context, hasProgramIds);
    patterns.add<ConvertReturn>(types, context);
    target.addDynamicallyLegalOp<tt::FuncOp>([&, hasProgramIds](tt::FuncOp op) {
      return types.isSignatureLegal(op.getFunctionType()) &&
             (!hasProgramIds || tts::KernelSignature(op).hasProgram());
    });
    target.addDynamicallyLegalOp<tt::ReturnOp>(
        [&](tt::ReturnOp op) { return types.isLegal(op); });
  } else {
    patterns.add<LowerFunc>(types, context, hasProgramIds);
    patterns.add<LowerReturn>(types, context);
  }
  patterns.add<LowerPointerBitcast>(types, context);
  if (hasProgramIds)
    patterns.add<LowerGridQuestion<tt::GetNumProgramsOp, tts::kGridSizes>,
                 LowerGridQuestion<tt::GetProgramIdOp, tts::kProgramIds>>(
        context);
  patterns.add<ConvertPointerTypes>(types, context);
  for (StringRef name :
       {"tt.grid_dependency_wait", "tt.grid_dependency_launch_dependents",
        "llvm.intr.assume"})
    patterns.add<EraseByName>(name, context);
  if (options.keepsBarriers) {
    patterns.add<KeepBarrier>(context);
    target.addLegalOp<gpu::BarrierOp>();
  } else {
    for (StringRef name : {"gpu.barrier", "ttg.barrier"})
      patterns.add<EraseByName>(name, context);
  }
  scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
  target.addLegalDialect<func::FuncDialect>();
  target.addDynamicallyLegalDialect<tts::TTSDialect>(
      [&](Operation *op) { return types.isLegal(op); });
}
