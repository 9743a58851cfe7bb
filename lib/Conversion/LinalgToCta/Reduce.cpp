//===- Reduce.cpp - linalg.reduce and matrix products to tiles ------------===//

#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "triton-shared/Analysis/FilledTensors.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Where a reduction that starts from the first elements takes them: the whole
/// tensor, if `rest` is all but its first place along `axis` and `first` is
/// that place. Null otherwise.
Value findWhole(Value rest, Value first, int64_t axis) {
  auto restSlice = rest.getDefiningOp<tensor::ExtractSliceOp>();
  if (auto collapse = first.getDefiningOp<tensor::CollapseShapeOp>())
    first = collapse.getSrc();
  auto firstSlice = first.getDefiningOp<tensor::ExtractSliceOp>();
  if (!restSlice || !firstSlice ||
      restSlice.getSource() != firstSlice.getSource())
    return nullptr;
  RankedTensorType whole = restSlice.getSourceType();
  auto covers = [&](tensor::ExtractSliceOp slice, int64_t begin, int64_t size) {
    for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
      int64_t wantedBegin = dim == axis ? begin : 0;
      int64_t wantedSize = dim == axis ? size : whole.getDimSize(dim);
      if (!isConstantIntValue(slice.getMixedOffsets()[dim], wantedBegin) ||
          !isConstantIntValue(slice.getMixedSizes()[dim], wantedSize) ||
          !isConstantIntValue(slice.getMixedStrides()[dim], 1))
        return false;
    }
    return true;
  };
  int64_t size = whole.getDimSize(axis);
  return covers(restSlice, 1, size - 1) && covers(firstSlice, 0, 1)
             ? restSlice.getSource()
             : nullptr;
}

/// Only the start of a sum can be neutral: then it may be left out.
bool startsNeutral(linalg::ReduceOp op) {
  Block &body = op.getCombiner().front();
  OpOperand *filler = findFiller(op.getInits().front());
  if (op.getInits().size() != 1 || !filler)
    return false;
  Attribute start;
  if (!matchPattern(filler->get(), m_Constant(&start)))
    return false;
  Operation *combiner = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner)
    return false;
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  if (neutral && *neutral == start)
    return true;
  // For the operations that prefer numbers, NaN is neutral too; and of zeros,
  // the sum of nothing has either sign.
  auto number = dyn_cast<FloatAttr>(start);
  if (!number)
    return false;
  return isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner)
             ? number.getValue().isNaN()
             : isa<arith::AddFOp>(combiner) && number.getValue().isZero();
}

struct ConvertReduce : OpRewritePattern<linalg::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getDimensions().size() != 1)
      return rewriter.notifyMatchFailure(op, "reduces several dimensions");
    int64_t axis = op.getDimensions().front();
    SmallVector<Value> wholes;
    for (auto [in, init] : llvm::zip_equal(op.getInputs(), op.getInits()))
      if (Value whole = findWhole(in, init, axis))
        wholes.push_back(whole);
    bool startsFromFirst = wholes.size() == op.getInputs().size();
    SmallVector<Value> sources =
        startsFromFirst ? wholes : extend(op, rewriter);

    auto reduce =
        cta::ReduceOp::create(rewriter, op.getLoc(), op->getResultTypes(),
                              sources, rewriter.getI64IntegerAttr(axis));
    Block &combine = reduce.getCombine().emplaceBlock();
    copyBody(op, combine, rewriter);

    rewriter.setInsertionPointAfter(reduce);
    SmallVector<Value> results(reduce.getResults());
    if (!startsFromFirst && !startsNeutral(op)) {
      TileBody how(cast<RankedTensorType>(results.front().getType()));
      SmallVector<Value> arguments(op.getInits());
      llvm::append_range(arguments, results);
      results = cta::cloneElementwise(rewriter, combine, arguments, how.get());
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// The sources in the type in which the sum is made.
  static SmallVector<Value> extend(linalg::ReduceOp op, OpBuilder &builder) {
    SmallVector<Value> sources;
    for (auto [in, init] : llvm::zip_equal(op.getInputs(), op.getInits())) {
      auto type = cast<RankedTensorType>(in.getType());
      Type sum = getElementTypeOrSelf(init.getType());
      sources.push_back(type.getElementType() == sum
                            ? in
                            : arith::ExtFOp::create(builder, op.getLoc(),
                                                    withElements(type, sum), in)
                                  .getResult());
    }
    return sources;
  }

  /// The region with what is combined so far on the left, where linalg has it
  /// on the right.
  static void copyBody(linalg::ReduceOp op, Block &combine,
                       OpBuilder &builder) {
    Block &body = op.getCombiner().front();
    unsigned count = op.getInputs().size();
    SmallVector<Type> sums =
        llvm::map_to_vector(op.getInits().getTypes(), [](Type type) {
          return getElementTypeOrSelf(type);
        });
    SmallVector<Location> locs(count, op.getLoc());
    combine.addArguments(sums, locs);
    combine.addArguments(sums, locs);
    IRMapping mapping;
    for (unsigned i = 0; i < count; ++i) {
      mapping.map(body.getArgument(count + i), combine.getArgument(i));
      mapping.map(body.getArgument(i), combine.getArgument(count + i));
    }
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&combine);
    for (Operation &inner : body.without_terminator()) {
      Operation *copy = builder.clone(inner, mapping);
      // What `extend` has done already.
      if (copy->getNumOperands() == 1 && isa<arith::ExtFOp>(copy) &&
          copy->getOperand(0).getType() == copy->getResult(0).getType()) {
        mapping.map(inner.getResult(0), copy->getOperand(0));
        copy->erase();
      }
    }
    SmallVector<Value> yields = llvm::map_to_vector(
        body.getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookupOrDefault(value); });
    cta::YieldOp::create(builder, op.getLoc(), yields);
  }
};

template <typename OpTy> struct ConvertProduct : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Attribute addsInHalf = op->getDiscardableAttr(tts::kAddsInHalf);
    Attribute number = op->getDiscardableAttr(tts::kProductNumber);
    auto dot = rewriter.replaceOpWithNewOp<cta::DotOp>(
        op, op.getInputs()[0], op.getInputs()[1], op.getOutputs()[0],
        op->template getAttrOfType<StringAttr>(tts::kInputPrecision),
        /*instruction=*/Attribute(),
        op->template getAttrOfType<IntegerAttr>(tts::kMaxNumImpreciseAcc));
    if (addsInHalf)
      dot->setAttr(tts::kAddsInHalf, addsInHalf);
    if (number)
      dot->setAttr(tts::kProductNumber, number);
    return success();
  }
};

} // namespace

void triton_shared::populateLinalgToCtaReduce(RewritePatternSet &patterns) {
  patterns.add<ConvertReduce, ConvertProduct<linalg::MatmulOp>,
               ConvertProduct<linalg::BatchMatmulOp>>(patterns.getContext());
}
