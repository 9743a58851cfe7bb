//===- FloatTracks.cpp - Several numbers in the place of a float ----------===//

#include "FloatTracks.h"
#include "StoredFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

bool triton_shared::isRounded(Type type) {
  Type number = getNumberType(type);
  return isa<FloatType>(number) && !isa<Float128Type>(number);
}

bool triton_shared::movesNumbers(Operation *op) {
  return isa<tt::SplatOp, tt::UnsplatOp, tt::ExpandDimsOp, tt::BroadcastOp,
             tt::ReshapeOp, tt::TransOp, tt::CatOp, tt::JoinOp, tt::SplitOp,
             tt::GatherOp, tt::AddPtrOp, tt::LoadOp, tt::StoreOp,
             tt::MakeTensorPtrOp, tt::AdvanceOp, tt::MakeTensorDescOp,
             tt::DescriptorLoadOp, tt::DescriptorStoreOp,
             tt::DescriptorGatherOp, tt::DescriptorScatterOp, tt::AtomicLoadOp,
             tt::AtomicStoreOp, arith::SelectOp>(op);
}

Type triton_shared::getReal(MLIRContext *context) {
  return Float128Type::get(context);
}

APFloat triton_shared::widenToReal(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

/// The type with another number in the place of its float.
static Type withNumber(Type type, Type number) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([number](FloatType) -> Type { return number; });
  return replacer.replace(type);
}

TrackConverter::TrackConverter(ArrayRef<Track> tracks) : tracks(tracks) {
  addConversion([](Type type) { return type; });
  addConversion(
      [this](Type type,
             SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        if (!isRounded(type))
          return std::nullopt;
        for (const Track &track : this->tracks)
          types.push_back(withNumber(type, track.number));
        return success();
      });
}

Value triton_shared::pickTrack(ValueRange tracks, unsigned track) {
  return tracks.size() == 1 ? tracks.front() : tracks[track];
}

Operation *triton_shared::copyToTrack(Operation *op,
                                      ArrayRef<ValueRange> operands,
                                      unsigned track,
                                      const TrackConverter &converter,
                                      OpBuilder &builder) {
  OperationState state(op->getLoc(), op->getName());
  for (ValueRange tracks : operands)
    state.operands.push_back(pickTrack(tracks, track));
  for (Type type : op->getResultTypes()) {
    SmallVector<Type> types;
    (void)converter.convertType(type, types);
    state.types.push_back(types.size() == 1 ? types.front() : types[track]);
  }
  state.addAttributes(op->getAttrs());
  Operation *made = builder.create(state);
  if (converter.getTracks()[track].padsWithNan)
    return made;
  if (auto load = dyn_cast<tt::LoadOp>(made))
    if (load.getPadding() == tt::PaddingOption::PAD_NAN)
      load.setPadding(tt::PaddingOption::PAD_ZERO);
  if (auto make = dyn_cast<tt::MakeTensorDescOp>(made))
    make.setPadding(tt::PaddingOption::PAD_ZERO);
  return made;
}

namespace {

/// What moves numbers moves each track.
struct MoveTracks : ConversionPattern {
  MoveTracks(const TrackConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!movesNumbers(op))
      return failure();
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    const auto &converter = *getTypeConverter<TrackConverter>();
    for (unsigned track = 0; track < converter.getTracks().size(); ++track) {
      Operation *made = copyToTrack(op, operands, track, converter, rewriter);
      for (auto [found, value] : llvm::zip_equal(results, made->getResults()))
        found.push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
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

/// Numbers that stand for floats would tell nobody anything.
struct DropPrint : OpConversionPattern<tt::PrintOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::PrintOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

/// Puts a parameter for each track in the place of those for floats.
static void splitParameters(tt::FuncOp function,
                            const TypeConverter &converter) {
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

/// Makes f64 of what stands for it.
static void nameReal(ModuleOp module) {
  Type f64 = Float64Type::get(module.getContext());
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
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

LogicalResult triton_shared::convertTracks(ModuleOp module,
                                           const TrackConverter &converter,
                                           RewritePatternSet &&patterns) {
  for (auto function : module.getOps<tt::FuncOp>())
    if (!function.isExternal())
      splitParameters(function, converter);
  MLIRContext *context = module.getContext();
  ConversionTarget target(*context);
  patterns.add<MoveTracks>(converter, context);
  patterns.add<CombineTracks<tt::ReduceOp>, CombineTracks<tt::ScanOp>,
               ReturnTracks<tt::ReduceReturnOp>, ReturnTracks<tt::ScanReturnOp>,
               DropPrint>(converter, context);
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  target.addLegalOp<UnrealizedConversionCastOp>();
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return converter.isLegal(op); });
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    return failure();
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
  nameReal(module);
  return success();
}
