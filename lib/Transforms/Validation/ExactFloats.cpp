//===- ExactFloats.cpp - Results that rounding and order do not change ----===//
//
// Every float goes on as a number of the ring (RingArithmetic.h). Where a
// kernel compares floats, or makes integers of them, it goes on as an f64
// besides: what is moved, loaded or carried is so twice. An f128, which no
// kernel has, stands for that f64 until no float of the kernel's own is left.
//
//===----------------------------------------------------------------------===//

#include "ExactFloats.h"
#include "RingArithmetic.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONEXACTFLOATS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

/// The type with another number in the place of its float.
static Type withNumber(Type type, Type number) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([number](FloatType) -> Type { return number; });
  return replacer.replace(type);
}

namespace {

/// A float, or what is made of one, becomes two of the kind, or one.
struct TrackConverter : TypeConverter {
  TrackConverter(MLIRContext *context, bool hasReal) {
    Type ring = IntegerType::get(context, 64);
    Type real = Float128Type::get(context);
    addConversion([](Type type) { return type; });
    addConversion(
        [=](Type type,
            SmallVectorImpl<Type> &tracks) -> std::optional<LogicalResult> {
          if (!isRounded(type))
            return std::nullopt;
          tracks.push_back(withNumber(type, ring));
          if (hasReal)
            tracks.push_back(withNumber(type, real));
          return success();
        });
  }
};

/// What an operand is on a track: an integer or a mask is on each the same.
Value pick(ValueRange tracks, unsigned track) {
  return tracks.size() == 1 ? tracks.front() : tracks[track];
}

/// The same operation on one track.
Operation *copyToTrack(Operation *op, ArrayRef<ValueRange> operands,
                       unsigned track, const TypeConverter &converter,
                       OpBuilder &builder) {
  OperationState state(op->getLoc(), op->getName());
  for (ValueRange tracks : operands)
    state.operands.push_back(pick(tracks, track));
  for (Type type : op->getResultTypes()) {
    SmallVector<Type> types;
    (void)converter.convertType(type, types);
    state.types.push_back(types.size() == 1 ? types.front() : types[track]);
  }
  state.addAttributes(op->getAttrs());
  Operation *made = builder.create(state);
  // An integer has no NaN to pad with.
  if (auto load = dyn_cast<tt::LoadOp>(made); load && track == 0)
    if (load.getPadding() == tt::PaddingOption::PAD_NAN)
      load.setPadding(tt::PaddingOption::PAD_ZERO);
  if (auto make = dyn_cast<tt::MakeTensorDescOp>(made); make && track == 0)
    make.setPadding(tt::PaddingOption::PAD_ZERO);
  return made;
}

struct TrackPattern : ConversionPattern {
  TrackPattern(const TypeConverter &converter, MLIRContext *context,
               bool hasReal)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context),
        tracks(hasReal ? 2 : 1) {}

  unsigned tracks;
};

/// What moves numbers moves each track.
struct MoveTracks : TrackPattern {
  using TrackPattern::TrackPattern;

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!movesNumbers(op))
      return failure();
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    for (unsigned track = 0; track < tracks; ++track) {
      Operation *made =
          copyToTrack(op, operands, track, *getTypeConverter(), rewriter);
      for (auto [found, value] : llvm::zip_equal(results, made->getResults()))
        found.push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

/// Constants are numbers of the ring before they are numbers of the program.
struct EmbedConstants : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    SmallVector<Value> made;
    for (Type type : types)
      made.push_back(arith::ConstantOp::create(rewriter, op.getLoc(),
                                               convert(op.getValue(), type)));
    rewriter.replaceOpWithMultiple(op, {made});
    return success();
  }

private:
  static TypedAttr convert(TypedAttr value, Type type) {
    Type element = getElementTypeOrSelf(type);
    auto number = [&](const APFloat &from) -> APInt {
      if (element.isInteger(64))
        return APInt(64, embedInRing(from), /*isSigned=*/true);
      return widen(from).bitcastToAPInt();
    };
    if (auto block = dyn_cast<DenseElementsAttr>(value))
      return block.mapValues(element, number);
    APFloat from = cast<FloatAttr>(value).getValue();
    if (element.isInteger(64))
      return IntegerAttr::get(element, number(from));
    return FloatAttr::get(element, widen(from));
  }

  static APFloat widen(APFloat value) {
    bool losesInfo;
    value.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value;
  }
};

/// What computes does so in the ring, and in f64 if there is that track.
struct ComputeTracks : TrackPattern {
  using TrackPattern::TrackPattern;

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!computesNumber(op))
      return failure();
    SmallVector<Value> ring, real;
    for (ValueRange parts : operands) {
      ring.push_back(pick(parts, 0));
      real.push_back(pick(parts, tracks - 1));
    }
    if (Value picked = pickOperand(op, ring, real, rewriter)) {
      rewriter.replaceOpWithMultiple(
          op, {{picked, computeReal(op, operands, real, rewriter)}});
      return success();
    }
    SmallVector<Value> made = {computeInRing(op, ring, rewriter)};
    if (tracks == 2)
      made.push_back(computeReal(op, operands, real, rewriter));
    rewriter.replaceOpWithMultiple(op, {made});
    return success();
  }

private:
  Value computeReal(Operation *op, ArrayRef<ValueRange> operands,
                    ArrayRef<Value> real, OpBuilder &builder) const {
    if (isa<arith::ExtFOp, arith::TruncFOp, tt::FpToFpOp>(op))
      return real[0];
    if (isa<tt::PreciseSqrtOp>(op))
      return math::SqrtOp::create(builder, op->getLoc(), real[0]);
    if (isa<tt::PreciseDivFOp, tt::ApproxDivFOp>(op))
      return arith::DivFOp::create(builder, op->getLoc(), real[0], real[1]);
    Operation *made =
        copyToTrack(op, operands, /*track=*/1, *getTypeConverter(), builder);
    if (auto dot = dyn_cast<tt::DotOp>(made)) {
      dot.setInputPrecision(tt::InputPrecision::IEEE);
      dot.setMaxNumImpreciseAcc(0);
    }
    if (auto call = dyn_cast<tt::ExternElementwiseOp>(made))
      call.setSymbol(getSymbolInDouble(cast<tt::ExternElementwiseOp>(op)));
    return made->getResult(0);
  }
};

/// Whether one float is above another, and what becomes an integer, f64 says.
struct DecideByReal : TrackPattern {
  using TrackPattern::TrackPattern;

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<arith::CmpFOp, arith::FPToSIOp, arith::FPToUIOp>(op))
      return failure();
    rewriter.replaceOp(op, copyToTrack(op, operands, /*track=*/1,
                                       *getTypeConverter(), rewriter));
    return success();
  }
};

/// Sums in memory are those of the ring.
struct UpdateMemory : OpConversionPattern<tt::AtomicRMWOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::AtomicRMWOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> made;
    for (unsigned track = 0; track < adaptor.getPtr().size(); ++track) {
      Operation *update = copyToTrack(op, adaptor.getOperands(), track,
                                      *getTypeConverter(), rewriter);
      if (track == 0 && op.getAtomicRmwOp() == tt::RMWOp::FADD)
        cast<tt::AtomicRMWOp>(update).setAtomicRmwOp(tt::RMWOp::ADD);
      made.push_back(update->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, {made});
    return success();
  }
};

/// All tracks of all values, in a row.
SmallVector<Value> flatten(ArrayRef<ValueRange> values) {
  SmallVector<Value> all;
  for (ValueRange tracks : values)
    llvm::append_range(all, tracks);
  return all;
}

/// A region that combines elements takes all of their tracks.
template <typename Op> struct CombineTracks : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using OneToNOpAdaptor = typename OpConversionPattern<Op>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const TypeConverter &converter = *this->getTypeConverter();
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(flatten(adaptor.getOperands()));
    if (failed(converter.convertTypes(op->getResultTypes(), state.types)))
      return failure();
    state.addAttributes(op->getAttrs());
    Region *region = state.addRegion();
    rewriter.inlineRegionBefore(op.getCombineOp(), *region, region->end());
    Operation *made = rewriter.create(state);
    if (failed(rewriter.convertRegionTypes(&made->getRegion(0), converter)))
      return failure();
    SmallVector<SmallVector<Value>> results;
    unsigned next = 0;
    for (Type type : op->getResultTypes()) {
      SmallVector<Type> types;
      (void)converter.convertType(type, types);
      results.emplace_back(made->getResults().slice(next, types.size()));
      next += types.size();
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

template <typename Op> struct ReturnTracks : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using OneToNOpAdaptor = typename OpConversionPattern<Op>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<Op>(op, flatten(adaptor.getOperands()));
    return success();
  }
};

/// Numbers of the ring would tell nobody anything.
struct DropPrint : OpConversionPattern<tt::PrintOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::PrintOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// Puts a parameter for each track in the place of those for floats.
void splitParameters(tt::FuncOp function, const TypeConverter &converter) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    BlockArgument argument = function.getArgument(i);
    SmallVector<Type> types;
    if (converter.isLegal(argument.getType()) ||
        failed(converter.convertType(argument.getType(), types)))
      continue;
    DictionaryAttr attributes = function.getArgAttrDict(i);
    for (auto [track, type] : llvm::enumerate(types))
      (void)function.insertArgument(i + 1 + track, type, attributes,
                                    argument.getLoc());
    SmallVector<Value> made(function.getArguments().slice(i + 1, types.size()));
    OpBuilder builder(function.getBody());
    auto cast = UnrealizedConversionCastOp::create(builder, argument.getLoc(),
                                                   argument.getType(), made);
    argument.replaceAllUsesWith(cast.getResult(0));
    (void)function.eraseArgument(i);
    i += types.size() - 1;
  }
}

struct TritonExactFloats
    : triton_shared::impl::TritonExactFloatsBase<TritonExactFloats> {
  void runOnOperation() override {
    if (failed(checkHasExactForm(getOperation())))
      return signalPassFailure();
    bool hasReal = needsReal(getOperation());
    TrackConverter converter(&getContext(), hasReal);
    for (auto function : getOperation().getOps<tt::FuncOp>())
      if (!function.isExternal())
        splitParameters(function, converter);
    if (failed(convert(converter, hasReal)))
      return signalPassFailure();
    SmallVector<UnrealizedConversionCastOp> casts;
    getOperation().walk(
        [&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts);
    nameReal();
    getOperation()->setAttr(
        "tt.exact_tracks",
        OpBuilder(&getContext()).getI32IntegerAttr(hasReal ? 2 : 1));
  }

private:
  LogicalResult convert(const TypeConverter &converter, bool hasReal) {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    patterns.add<MoveTracks, ComputeTracks, DecideByReal>(converter, context,
                                                          hasReal);
    patterns.add<EmbedConstants, UpdateMemory, CombineTracks<tt::ReduceOp>,
                 CombineTracks<tt::ScanOp>, ReturnTracks<tt::ReduceReturnOp>,
                 ReturnTracks<tt::ScanReturnOp>, DropPrint>(converter, context);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    target.addLegalOp<UnrealizedConversionCastOp>();
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return converter.isLegal(op); });
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }

  /// Makes f64 of what stands for it.
  void nameReal() {
    Type f64 = Float64Type::get(&getContext());
    auto narrow = [](APFloat value) {
      bool losesInfo;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      return value;
    };
    AttrTypeReplacer replacer;
    replacer.addReplacement([f64](Float128Type) -> Type { return f64; });
    replacer.addReplacement(
        [=](FloatAttr attr) -> std::pair<Attribute, WalkResult> {
          if (!isa<Float128Type>(attr.getType()))
            return {attr, WalkResult::skip()};
          return {FloatAttr::get(f64, narrow(attr.getValue())),
                  WalkResult::skip()};
        });
    replacer.addReplacement(
        [=](DenseElementsAttr attr) -> std::pair<Attribute, WalkResult> {
          if (!isa<Float128Type>(attr.getElementType()))
            return {attr, WalkResult::skip()};
          auto narrowed = attr.mapValues(f64, [=](const APFloat &value) {
            return narrow(value).bitcastToAPInt();
          });
          return {narrowed, WalkResult::skip()};
        });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};

} // namespace
