//===- Histogram.cpp - Counting comparisons to cta.histogram --------------===//
//
// A histogram comes as a loop over elements and bins that adds one where an
// element is the number of the bin. That suits vectors; threads count faster.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The other operand of a commutative `op` that has `value` as one.
Value getOther(Operation *op, Value value) {
  if (op->getOperand(0) == value)
    return op->getOperand(1);
  return op->getOperand(1) == value ? op->getOperand(0) : Value();
}

/// `value` before it was extended.
Value skipExtension(Value value) {
  auto extension = value.getDefiningOp<arith::ExtUIOp>();
  return extension ? extension.getIn() : value;
}

/// True if `value` is the number of the bin, in any integer type. The only one
/// of a histogram `isOnlyBin` has the number 0.
bool isBinNumber(Value value, bool isOnlyBin) {
  if (isOnlyBin && matchPattern(value, m_Zero()))
    return true;
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() == 1;
}

/// True if `hit` says that `element` is the number of the bin.
bool isHit(Value hit, Value element, bool isOnlyBin) {
  auto compare = hit.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  Value left = compare.getLhs(), right = compare.getRhs();
  return (skipExtension(left) == element && isBinNumber(right, isOnlyBin)) ||
         (skipExtension(right) == element && isBinNumber(left, isOnlyBin));
}

/// True if the body adds one to the count where it should. Its arguments are
/// the element, the mask if there is one, and the count so far.
bool isCounting(Block &body, bool isOnlyBin) {
  Value count = body.getArguments().back();
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  Value one = sum ? getOther(sum, count) : Value();
  auto extension = one ? one.getDefiningOp<arith::ExtUIOp>() : nullptr;
  if (!extension)
    return false;
  Value hit = extension.getIn();
  Value element = body.getArgument(0);
  if (body.getNumArguments() == 2)
    return isHit(hit, element, isOnlyBin);
  auto both = hit.getDefiningOp<arith::AndIOp>();
  Value unmasked = both ? getOther(both, body.getArgument(1)) : Value();
  return unmasked && isHit(unmasked, element, isOnlyBin);
}

struct ConvertHistogram : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!countsBins(op) || !isCounting(op.getRegion().front(),
                                       op.getStaticLoopRanges().back() == 1))
      return rewriter.notifyMatchFailure(op, "is no histogram");
    Location loc = op.getLoc();
    ValueRange inputs = op.getInputs();
    Value counts = cta::HistogramOp::create(
        rewriter, loc, op->getResult(0).getType(), inputs.front(),
        inputs.size() == 2 ? inputs.back() : Value());
    Value start = op.getOutputs().front();
    auto fill = start.getDefiningOp<linalg::FillOp>();
    if (!fill || !matchPattern(fill.getInputs().front(), m_Zero()))
      counts = arith::AddIOp::create(rewriter, loc, start, counts);
    rewriter.replaceOp(op, counts);
    return success();
  }

private:
  /// True for a loop over elements (summed over) and bins, of the right shapes.
  static bool countsBins(linalg::GenericOp op) {
    auto loops = op.getIteratorTypesArray();
    size_t inputs = op.getInputs().size();
    if (loops.size() != 2 || loops[0] != utils::IteratorType::reduction ||
        loops[1] != utils::IteratorType::parallel || inputs < 1 || inputs > 2 ||
        op.getOutputs().size() != 1)
      return false;
    MLIRContext *context = op.getContext();
    AffineMap elements = AffineMap::get(2, 0, getAffineDimExpr(0, context));
    AffineMap bins = AffineMap::get(2, 0, getAffineDimExpr(1, context));
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    return llvm::all_of(ArrayRef(maps).drop_back(),
                        [&](AffineMap map) { return map == elements; }) &&
           maps.back() == bins &&
           (inputs == 1 ||
            getElementTypeOrSelf(op.getInputs()[1]).isInteger(1));
  }
};

} // namespace

void triton_shared::populateLinalgToCtaHistogram(RewritePatternSet &patterns) {
  patterns.add<ConvertHistogram>(patterns.getContext());
}
