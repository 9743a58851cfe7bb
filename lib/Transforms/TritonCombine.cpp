//===- TritonCombine.cpp - Simpler forms of the same program --------------===//
//
// Rewrites on `tt` that leave less for the passes after: fewer additions to
// pointers and accumulators, and arithmetic on values before they are repeated.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONCOMBINE
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// Accumulators and pointers
//===----------------------------------------------------------------------===//

namespace {

/// `dot(a, b, 0) + c` is `dot(a, b, c)`.
template <typename AddOp> struct AccumulateInDot : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    auto dot = op.getLhs().template getDefiningOp<tt::DotOp>();
    Value addend = op.getRhs();
    if (!dot) {
      dot = op.getRhs().template getDefiningOp<tt::DotOp>();
      addend = op.getLhs();
    }
    if (!dot || !dot->hasOneUse())
      return rewriter.notifyMatchFailure(op, "adds no product of its own");
    if (!matchPattern(dot.getC(), m_AnyZeroFloat()) &&
        !matchPattern(dot.getC(), m_Zero()))
      return rewriter.notifyMatchFailure(op, "the accumulator is in use");
    if (dot.getMaxNumImpreciseAcc() != 0)
      return rewriter.notifyMatchFailure(op, "the sum is imprecise");

    Location loc = rewriter.getFusedLoc({dot.getLoc(), op.getLoc()});
    auto sum = tt::DotOp::create(rewriter, loc, op.getType(), dot.getA(),
                                 dot.getB(), addend, dot.getInputPrecision(),
                                 dot.getMaxNumImpreciseAcc());
    sum->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, sum);
    return success();
  }
};

/// `addptr(addptr(p, i), j)` is `addptr(p, i + j)`. Each offset is extended to
/// 64 bits before it is added, so the sum is made in 64 bits.
struct MergeAddPtr : OpRewritePattern<tt::AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tt::AddPtrOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getPtr().getDefiningOp<tt::AddPtrOp>();
    if (!inner || !inner->hasOneUse())
      return rewriter.notifyMatchFailure(op, "adds to no sum of its own");
    Location loc = rewriter.getFusedLoc({inner.getLoc(), op.getLoc()});
    Value offset = arith::AddIOp::create(
        rewriter, loc, extend(rewriter, loc, inner.getOffset()),
        extend(rewriter, loc, op.getOffset()));
    auto sum = tt::AddPtrOp::create(rewriter, loc, op.getType(), inner.getPtr(),
                                    offset);
    rewriter.replaceOp(op, sum);
    return success();
  }

private:
  static Value extend(PatternRewriter &rewriter, Location loc, Value offset) {
    if (getElementTypeOrSelf(offset).isInteger(64))
      return offset;
    Type type = rewriter.getI64Type();
    if (auto block = dyn_cast<RankedTensorType>(offset.getType()))
      type = block.clone(type);
    return rewriter.createOrFold<arith::ExtSIOp>(loc, type, offset);
  }
};

//===----------------------------------------------------------------------===//
// Repeated values
//===----------------------------------------------------------------------===//

/// True if `op` computes each element of its one result from the elements at
/// the same place in blocks, and would compute a number from numbers.
bool isElementwise(Operation *op) {
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumRegions() ||
      op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      isa<tt::ElementwiseInlineAsmOp>(op) || !isMemoryEffectFree(op))
    return false;
  return isa<RankedTensorType>(op->getResult(0).getType()) &&
         llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}

/// The number that `block` repeats, or null.
Value getRepeated(PatternRewriter &rewriter, Value block) {
  if (auto splat = block.getDefiningOp<tt::SplatOp>())
    return splat.getSrc();
  SplatElementsAttr constant;
  if (!matchPattern(block, m_Constant(&constant)))
    return {};
  return arith::ConstantOp::create(rewriter, block.getLoc(),
                                   constant.getSplatValue<TypedAttr>());
}

bool isRepeated(Value block) {
  SplatElementsAttr constant;
  return block.getDefiningOp<tt::SplatOp>() ||
         matchPattern(block, m_Constant(&constant));
}

/// `op` on other operands. Hints about the elements of a block (`tt.*`) do not
/// hold for another shape.
Value rebuild(PatternRewriter &rewriter, Operation *op, Type type,
              ValueRange operands) {
  OperationState state(op->getLoc(), op->getName(), operands, type);
  for (NamedAttribute attribute : op->getAttrs())
    if (!attribute.getName().strref().starts_with("tt."))
      state.attributes.push_back(attribute);
  return rewriter.create(state)->getResult(0);
}

/// `f(splat(x), splat(y))` is `splat(f(x, y))`.
struct ComputeBeforeSplat : RewritePattern {
  explicit ComputeBeforeSplat(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || !llvm::all_of(op->getOperands(), isRepeated))
      return failure();
    if (llvm::none_of(op->getOperands(), [](Value operand) {
          return operand.getDefiningOp<tt::SplatOp>();
        }))
      return rewriter.notifyMatchFailure(op, "folds to a constant");
    SmallVector<Value> numbers;
    for (Value operand : op->getOperands())
      numbers.push_back(getRepeated(rewriter, operand));
    Type type = op->getResult(0).getType();
    Value number = rebuild(rewriter, op, getElementTypeOrSelf(type), numbers);
    rewriter.replaceOpWithNewOp<tt::SplatOp>(op, type, number);
    return success();
  }
};

/// `f(broadcast(x), broadcast(y))` is `broadcast(f(x, y))`, if x and y have the
/// same shape; other operands may repeat one number.
struct ComputeBeforeBroadcast : RewritePattern {
  explicit ComputeBeforeBroadcast(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    RankedTensorType small;
    for (Value operand : op->getOperands()) {
      if (auto broadcast = operand.getDefiningOp<tt::BroadcastOp>()) {
        RankedTensorType type = broadcast.getSrc().getType();
        if (small && small.getShape() != type.getShape())
          return rewriter.notifyMatchFailure(op, "operands differ in shape");
        small = type;
      } else if (!isRepeated(operand)) {
        return rewriter.notifyMatchFailure(op, "an operand is a whole block");
      }
    }
    if (!small)
      return rewriter.notifyMatchFailure(op, "no operand is broadcast");

    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(shrink(rewriter, operand, small));
    Type type = op->getResult(0).getType();
    Value result = rebuild(rewriter, op,
                           small.clone(getElementTypeOrSelf(type)), operands);
    rewriter.replaceOpWithNewOp<tt::BroadcastOp>(op, type, result);
    return success();
  }

private:
  /// The operand before it was repeated to its whole shape.
  static Value shrink(PatternRewriter &rewriter, Value operand,
                      RankedTensorType small) {
    if (auto broadcast = operand.getDefiningOp<tt::BroadcastOp>())
      return broadcast.getSrc();
    auto type = small.clone(getElementTypeOrSelf(operand));
    SplatElementsAttr constant;
    if (matchPattern(operand, m_Constant(&constant)))
      return arith::ConstantOp::create(rewriter, operand.getLoc(),
                                       constant.resizeSplat(type));
    return tt::SplatOp::create(rewriter, operand.getLoc(), type,
                               getRepeated(rewriter, operand));
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {

/// `where((a > b) | (a != a), a, b)` as the region of a reduction, which is how
/// PyTorch spells a maximum that is NaN if anything is, is `maximumf(a, b)`,
/// and the same with `<` is `minimumf`. They differ in the sign of a zero
/// alone: of zeros of both signs the region takes the second, whichever that
/// is. For single elements, which have an order, that counts.
struct NameExtremum : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    Value chosen = op.getTrueValue(), other = op.getFalseValue();
    if (!isWholeReduction(op) || !isa<FloatType>(chosen.getType()))
      return rewriter.notifyMatchFailure(op, "reduces no numbers");
    auto either = op.getCondition().getDefiningOp<arith::OrIOp>();
    if (!either)
      return rewriter.notifyMatchFailure(op, "looks for no NaN");
    auto order = either.getLhs().getDefiningOp<arith::CmpFOp>();
    auto nan = either.getRhs().getDefiningOp<arith::CmpFOp>();
    if (isNanCheck(order, chosen))
      std::swap(order, nan);
    if (!order || !isNanCheck(nan, chosen))
      return rewriter.notifyMatchFailure(op, "looks for no NaN of the first");
    if (isBeyond(order, chosen, other))
      rewriter.replaceOpWithNewOp<arith::MaximumFOp>(op, chosen, other);
    else if (isBeyond(order, other, chosen))
      rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, chosen, other);
    else
      return rewriter.notifyMatchFailure(op, "is no extremum");
    return success();
  }

private:
  /// True if `op` makes of both sides of a reduction what it results in.
  static bool isWholeReduction(arith::SelectOp op) {
    auto reduce = dyn_cast<tt::ReduceOp>(op->getParentOp());
    return reduce && reduce->getNumResults() == 1 &&
           isa<BlockArgument>(op.getTrueValue()) &&
           isa<BlockArgument>(op.getFalseValue()) && op->hasOneUse() &&
           op->use_begin()->getOwner()->hasTrait<OpTrait::IsTerminator>();
  }

  static bool isNanCheck(arith::CmpFOp op, Value value) {
    using Predicate = arith::CmpFPredicate;
    return op && op.getLhs() == value && op.getRhs() == value &&
           llvm::is_contained({Predicate::UNE, Predicate::UNO},
                              op.getPredicate());
  }

  /// True if `op` says whether `large` is larger than `small`; what it says of
  /// equal ones does not matter.
  static bool isBeyond(arith::CmpFOp op, Value large, Value small) {
    using Predicate = arith::CmpFPredicate;
    if (op.getLhs() == large && op.getRhs() == small)
      return llvm::is_contained({Predicate::OGT, Predicate::OGE},
                                op.getPredicate());
    return op.getLhs() == small && op.getRhs() == large &&
           llvm::is_contained({Predicate::OLT, Predicate::OLE},
                              op.getPredicate());
  }
};

} // namespace

void triton_shared::populateTritonCombine(RewritePatternSet &patterns) {
  populateMaskedValues(patterns);
  patterns.add<AccumulateInDot<arith::AddFOp>, AccumulateInDot<arith::AddIOp>,
               MergeAddPtr, ComputeBeforeSplat, ComputeBeforeBroadcast,
               NameExtremum>(patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static constexpr StringLiteral unrollHint = "tt.loop_unroll_factor";

/// The number of iterations is computed as if it were not negative, so a loop
/// that may end before it starts ends where it starts.
static void clampUpperBound(scf::ForOp loop) {
  if (loop.getStaticTripCount())
    return;
  OpBuilder builder(loop);
  Value start = loop.getLowerBound(), end = loop.getUpperBound();
  if (loop.getUnsignedCmp())
    end = arith::MaxUIOp::create(builder, loop.getLoc(), start, end);
  else
    end = arith::MaxSIOp::create(builder, loop.getLoc(), start, end);
  loop.setUpperBound(end);
}

/// What is wrong with the loop, why, and the way out.
static LogicalResult refuseUnrolling(scf::ForOp loop, const std::string &what,
                                     StringRef why, StringRef wayOut) {
  InFlightDiagnostic error = loop.emitOpError(what);
  error.attachNote() << why;
  error.attachNote() << wayOut;
  return error;
}

/// Does what the hint on the loop asks, and removes it.
static LogicalResult unroll(scf::ForOp loop) {
  auto hint = loop->getAttrOfType<IntegerAttr>(unrollHint);
  if (!hint)
    return success();
  int64_t factor = hint.getInt();
  if (factor < 1)
    return refuseUnrolling(
        loop, llvm::formatv("asks to be unrolled {0} times", factor).str(),
        "one turn of the unrolled loop does the work of that many turns",
        "give 'loop_unroll_factor' as 1 or more");
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (step && *step < 1)
    return refuseUnrolling(
        loop,
        llvm::formatv("has the step {0}, so it can not be unrolled", *step)
            .str(),
        "how often a loop runs is known for steps of 1 or more",
        "count upwards, or leave out 'loop_unroll_factor'");
  loop->removeAttr(unrollHint);
  if (factor == 1)
    return success();
  clampUpperBound(loop);
  if (failed(loopUnrollByFactor(loop, factor)))
    return refuseUnrolling(
        loop, llvm::formatv("can not be unrolled {0} times", factor).str(),
        "copying its body fails", "leave out 'loop_unroll_factor'");
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct TritonCombine : triton_shared::impl::TritonCombineBase<TritonCombine> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateTritonCombine(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();

    // Inner loops come first, so an outer one repeats what they have become.
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (failed(unroll(loop)))
        return signalPassFailure();
  }
};

} // namespace
