//===- DeriveBounds.cpp - How far off every float may be ------------------===//
//
// Every float goes on as two tracks (FloatTracks.h): the number without
// rounding, and a bound of its error. Bounds hold in whatever order sums are
// made. Of a comparison whose operands lie within their bounds of each other,
// either outcome is right: what is chosen by it may be either side.
//
//===----------------------------------------------------------------------===//

#include "BoundedOperations.h"
#include "FloatTracks.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Transforms/Passes.h"

#include <cmath>

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONDERIVEBOUNDS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// For comparisons, where either outcome is right.
using Undecided = DenseMap<Value, Value>;

Bounded getBounded(ValueRange tracks) {
  return {tracks.front(), tracks.size() == 2 ? tracks.back() : Value()};
}

struct BoundConstants : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (!isRounded(op.getType()) ||
        failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    TypedAttr real;
    if (auto block = dyn_cast<DenseElementsAttr>(op.getValue())) {
      real = block.mapValues(getElementTypeOrSelf(types[0]),
                             [](const APFloat &from) {
                               return widenToReal(from).bitcastToAPInt();
                             });
    } else {
      APFloat from = cast<FloatAttr>(op.getValue()).getValue();
      real = FloatAttr::get(types[0], widenToReal(from));
    }
    Value value = arith::ConstantOp::create(rewriter, op.getLoc(), real);
    Value zero = BoundArithmetic(rewriter, op.getLoc()).constant(types[1], 0.0);
    rewriter.replaceOpWithMultiple(op, {{value, zero}});
    return success();
  }
};

struct BoundElements : ConversionPattern {
  BoundElements(const TrackConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 2, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!hasElementRule(op))
      return failure();
    Bounded made =
        computeElement(op, llvm::map_to_vector(operands, getBounded), rewriter);
    rewriter.replaceOpWithMultiple(op, {{made.value, made.bound}});
    return success();
  }
};

/// Products of matrices: sizes of operands and bounds are multiplied as well.
struct BoundProducts : OpConversionPattern<tt::DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isRounded(op.getType()))
      return failure();
    Bounded a = getBounded(adaptor.getA()), b = getBounded(adaptor.getB());
    Bounded c = getBounded(adaptor.getC());
    Location loc = op.getLoc();
    BoundArithmetic bounds(rewriter, loc);
    auto product = [&](Value left, Value right, Value sum) -> Value {
      return tt::DotOp::create(rewriter, loc, sum.getType(), left, right, sum,
                               tt::InputPrecision::IEEE, 0);
    };
    Value value = product(a.value, b.value, c.value);
    Value sizeA = bounds.size(a.value), sizeB = bounds.size(b.value);
    Value sizes = product(sizeA, sizeB, bounds.size(c.value));
    Value carried = product(sizeA, b.bound, c.bound);
    carried = product(a.bound, bounds.add(sizeB, b.bound), carried);
    Value reach = bounds.add(sizes, carried);
    carried = bounds.add(carried, bounds.scale(getRelative(op), reach));
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    Rounding rounding = {type, 0.5, getSmallest(type)};
    Value bound = bounds.round(value, carried, rounding);
    rewriter.replaceOpWithMultiple(op, {{value, bound}});
    return success();
  }

private:
  /// What sums of K products lose of their sizes: tensor cores cut off.
  static double getRelative(tt::DotOp op) {
    auto operand = cast<RankedTensorType>(op.getA().getType());
    double terms = static_cast<double>(operand.getShape().back());
    double unit = 2 * getUnitRoundoff(
                          cast<FloatType>(getElementTypeOrSelf(op.getType())));
    if (operand.getElementTypeBitWidth() == 8)
      unit = std::max(unit, 0x1p-13);
    double relative = std::expm1((terms + 4) * unit);
    if (!operand.getElementType().isF32())
      return relative;
    if (op.getInputPrecision() == tt::InputPrecision::TF32)
      return relative + 0x1p-10;
    if (op.getInputPrecision() == tt::InputPrecision::TF32x3)
      return relative + 0x1p-20;
    return relative;
  }
};

/// Reductions and scans that add, or pick: bounds are combined in the same way.
template <typename Op, typename Return>
struct BoundCombinations : OpConversionPattern<Op> {
  using OneToNOpAdaptor = typename OpConversionPattern<Op>::OneToNOpAdaptor;

  BoundCombinations(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(Op op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Operation *combiner = findCombiner(op);
    if (!combiner || !isRounded(op->getOperand(0).getType()))
      return failure();
    Bounded x = getBounded(adaptor.getOperands().front());
    BoundArithmetic bounds(rewriter, op->getLoc());
    Value value = combine(op, x.value, combiner->getName(), rewriter);
    if (!isa<arith::AddFOp>(combiner)) {
      OperationName larger(arith::MaximumFOp::getOperationName(),
                           op->getContext());
      Value bound = combine(op, x.bound, larger, rewriter);
      rewriter.replaceOpWithMultiple(op, {{value, bound}});
      return success();
    }
    Value sizes =
        combine(op, bounds.size(x.value), combiner->getName(), rewriter);
    Value carried = combine(op, x.bound, combiner->getName(), rewriter);
    auto block = cast<RankedTensorType>(op->getOperand(0).getType());
    auto type = cast<FloatType>(block.getElementType());
    double terms = static_cast<double>(block.getDimSize(op.getAxis()));
    double relative = std::expm1(terms * getUnitRoundoff(type));
    Value lost = bounds.scale(relative, bounds.add(sizes, carried));
    Value bound = bounds.round(value, bounds.add(carried, lost), {type, 0.0});
    rewriter.replaceOpWithMultiple(op, {{value, bound}});
    return success();
  }

private:
  static Value combine(Op op, Value operand, OperationName how,
                       OpBuilder &builder) {
    Location loc = op->getLoc();
    Type real = getReal(op->getContext());
    Type type = real;
    if (auto block = dyn_cast<RankedTensorType>(op->getResult(0).getType()))
      type = block.clone(real);
    OperationState state(loc, op->getName());
    state.addOperands(operand);
    state.addTypes(type);
    state.addAttributes(op->getAttrs());
    Region *region = state.addRegion();
    Operation *made = builder.create(state);
    (void)region;
    OpBuilder::InsertionGuard guard(builder);
    Block *body =
        builder.createBlock(&made->getRegion(0), {}, {real, real}, {loc, loc});
    OperationState inner(loc, how);
    inner.addOperands(body->getArguments());
    inner.addTypes(real);
    Return::create(builder, loc, builder.create(inner)->getResults());
    return made->getResult(0);
  }
};

struct BoundComparisons : OpConversionPattern<arith::CmpFOp> {
  BoundComparisons(const TypeConverter &converter, MLIRContext *context,
                   Undecided &undecided)
      : OpConversionPattern(converter, context), undecided(undecided) {}

  LogicalResult
  matchAndRewrite(arith::CmpFOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Bounded a = getBounded(adaptor.getLhs()), b = getBounded(adaptor.getRhs());
    BoundArithmetic bounds(rewriter, op.getLoc());
    using Predicate = arith::CmpFPredicate;
    Value reach = bounds.add(a.bound, b.bound);
    Value zero = bounds.constant(reach.getType(), 0.0);
    Value distance = bounds.size(bounds.subtract(a.value, b.value));
    Value isNear = bounds.compare(Predicate::ULE, distance, reach);
    Value isRounded = bounds.compare(Predicate::UNE, reach, zero);
    undecided[op.getResult()] =
        arith::AndIOp::create(rewriter, op.getLoc(), isNear, isRounded);
    rewriter.replaceOp(op, bounds.compare(op.getPredicate(), a.value, b.value));
    return success();
  }

private:
  Undecided &undecided;
};

/// What is chosen by comparisons that are not decided may be either side.
struct BoundChoices : OpConversionPattern<arith::SelectOp> {
  BoundChoices(const TypeConverter &converter, MLIRContext *context,
               Undecided &undecided)
      : OpConversionPattern(converter, context, /*benefit=*/2),
        undecided(undecided) {}

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<FloatType>(getElementTypeOrSelf(op.getType())) ||
        !isRounded(op.getType()))
      return failure();
    BoundArithmetic bounds(rewriter, op.getLoc());
    Value condition = adaptor.getCondition().front();
    Bounded a = getBounded(adaptor.getTrueValue());
    Bounded b = getBounded(adaptor.getFalseValue());
    Value value = bounds.select(condition, a.value, b.value);
    Value bound = bounds.select(condition, a.bound, b.bound);
    if (Value open = findUndecided(op.getCondition(), rewriter)) {
      Value distance = bounds.size(bounds.subtract(a.value, b.value));
      Value either = bounds.add(distance, bounds.larger(a.bound, b.bound));
      bound = bounds.select(open, either, bound);
    }
    rewriter.replaceOpWithMultiple(op, {{value, bound}});
    return success();
  }

private:
  /// Null for what no comparison of floats takes part in.
  Value findUndecided(Value condition, OpBuilder &builder) const {
    if (Value known = undecided.lookup(condition))
      return known;
    Operation *op = condition.getDefiningOp();
    if (!op ||
        !isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, tt::ExpandDimsOp,
             tt::BroadcastOp, tt::SplatOp, tt::ReshapeOp, tt::TransOp>(op))
      return nullptr;
    SmallVector<Value> found;
    for (Value operand : op->getOperands())
      if (Value open = findUndecided(operand, builder))
        found.push_back(open);
    if (found.empty())
      return nullptr;
    if (op->getNumOperands() == 2)
      return found.size() == 1 ? found[0]
                               : arith::OrIOp::create(builder, op->getLoc(),
                                                      found[0], found[1]);
    Operation *copy = builder.clone(*op);
    copy->setOperand(0, found[0]);
    return copy->getResult(0);
  }

  Undecided &undecided;
};

struct TritonDeriveBounds
    : triton_shared::impl::TritonDeriveBoundsBase<TritonDeriveBounds> {
  void runOnOperation() override {
    if (failed(checkHasBounds(getOperation())))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    Type real = getReal(context);
    Track tracks[] = {{real, /*padsWithNan=*/true},
                      {real, /*padsWithNan=*/false}};
    TrackConverter converter(tracks);
    Undecided undecided;
    RewritePatternSet patterns(context);
    patterns.add<BoundConstants, BoundElements, BoundProducts,
                 BoundCombinations<tt::ReduceOp, tt::ReduceReturnOp>,
                 BoundCombinations<tt::ScanOp, tt::ScanReturnOp>>(converter,
                                                                  context);
    patterns.add<BoundComparisons, BoundChoices>(converter, context, undecided);
    if (failed(convertTracks(getOperation(), converter, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
