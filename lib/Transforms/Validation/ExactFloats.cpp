//===- ExactFloats.cpp - Results that rounding and order do not change ----===//
//
// Every float goes on as a number of the ring (RingArithmetic.h). Where a
// kernel compares floats, or makes integers of them, it goes on as an f64
// besides: what is moved, loaded or carried is so twice (FloatTracks.h).
//
//===----------------------------------------------------------------------===//

#include "ExactFloats.h"
#include "RingArithmetic.h"

#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONEXACTFLOATS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

struct TrackPattern : ConversionPattern {
  TrackPattern(const TrackConverter &converter, MLIRContext *context,
               bool hasReal)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context),
        tracks(hasReal ? 2 : 1) {}

  const TrackConverter &getTracks() const {
    return *getTypeConverter<TrackConverter>();
  }

  unsigned tracks;
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
      return widenToReal(from).bitcastToAPInt();
    };
    if (auto block = dyn_cast<DenseElementsAttr>(value))
      return block.mapValues(element, number);
    APFloat from = cast<FloatAttr>(value).getValue();
    if (element.isInteger(64))
      return IntegerAttr::get(element, number(from));
    return FloatAttr::get(element, widenToReal(from));
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
      ring.push_back(pickTrack(parts, 0));
      real.push_back(pickTrack(parts, tracks - 1));
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
        copyToTrack(op, operands, /*track=*/1, getTracks(), builder);
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
    rewriter.replaceOp(
        op, copyToTrack(op, operands, /*track=*/1, getTracks(), rewriter));
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
      Operation *update =
          copyToTrack(op, adaptor.getOperands(), track,
                      *getTypeConverter<TrackConverter>(), rewriter);
      if (track == 0 && op.getAtomicRmwOp() == tt::RMWOp::FADD)
        cast<tt::AtomicRMWOp>(update).setAtomicRmwOp(tt::RMWOp::ADD);
      made.push_back(update->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, {made});
    return success();
  }
};

struct TritonExactFloats
    : triton_shared::impl::TritonExactFloatsBase<TritonExactFloats> {
  void runOnOperation() override {
    if (failed(checkHasExactForm(getOperation())))
      return signalPassFailure();
    bool hasReal = needsReal(getOperation());
    // An integer has no NaN to pad with.
    SmallVector<Track> kinds = {
        {IntegerType::get(&getContext(), 64), /*padsWithNan=*/false}};
    if (hasReal)
      kinds.push_back({getReal(&getContext()), /*padsWithNan=*/true});
    TrackConverter converter(kinds);
    if (failed(convert(converter, hasReal)))
      return signalPassFailure();
    getOperation()->setAttr(
        "tt.exact_tracks",
        OpBuilder(&getContext()).getI32IntegerAttr(hasReal ? 2 : 1));
  }

private:
  LogicalResult convert(const TrackConverter &converter, bool hasReal) {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<ComputeTracks, DecideByReal>(converter, context, hasReal);
    patterns.add<EmbedConstants, UpdateMemory>(converter, context);
    return convertTracks(getOperation(), converter, std::move(patterns));
  }
};

} // namespace
