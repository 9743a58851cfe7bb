//===- OnlineSoftmax.cpp - Sums that are rarely multiplied again ----------===//
//
// What a softmax has summed up is relative to the largest score so far, and is
// multiplied when that grows. It may as well be relative to a smaller number,
// by up to 2^8: powers and sums have room for that. So a row's number is raised
// only when it has to be, which is rare after the first blocks, and most warps
// leave their sums as they are.
//
//===----------------------------------------------------------------------===//

#include "MaximumShift.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAONLINESOFTMAX
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// How much larger than its number a row's scores may be, in powers of two.
static constexpr double kMostGrowth = 8;

/// A copy, right behind the maximum, of how far it has grown: the exponent of
/// the power.
static Value copyExponent(OpBuilder &builder, const OnlineSoftmax &softmax) {
  Operation *maximum = softmax.maximum.getDefiningOp();
  BackwardSliceOptions options;
  options.filter = [&](Operation *op) {
    return op->getBlock() == maximum->getBlock() &&
           maximum->isBeforeInBlock(op);
  };
  SetVector<Operation *> slice;
  (void)getBackwardSlice(softmax.power, &slice, options);
  IRMapping copies;
  for (Operation *op : slice)
    builder.clone(*op, copies);
  return copies.lookupOrDefault(softmax.power->getOperand(0));
}

/// True in rows whose maximum has grown by so little that what was there
/// before is good enough. An exponent that is no number is not.
static Value createIsNear(OpBuilder &builder, const OnlineSoftmax &softmax,
                          Value exponent) {
  Location loc = softmax.maximum.getLoc();
  bool isNatural = isa<math::ExpOp>(softmax.power);
  double least = isNatural ? -kMostGrowth * llvm::numbers::ln2 : -kMostGrowth;
  auto type = cta::getTile(exponent);
  Value limit = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          type, builder.getFloatAttr(type.getElementType(), least)));
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE,
                               exponent, limit);
}

static void defer(const OnlineSoftmax &softmax) {
  Operation *maximum = softmax.maximum.getDefiningOp();
  Location loc = maximum->getLoc();
  OpBuilder builder(maximum->getContext());
  builder.setInsertionPointAfter(maximum);
  Value exponent = copyExponent(builder, softmax);
  if (cta::getTile(exponent).getShape() !=
      cta::getTile(softmax.maximum).getShape())
    return;
  Value isNear = createIsNear(builder, softmax, exponent);
  Operation *last = isNear.getDefiningOp();
  auto reference = arith::SelectOp::create(builder, loc, isNear, softmax.before,
                                           softmax.maximum);
  for (Operation *op : {reference.getOperation(), softmax.power})
    op->setAttr(cta::kRelative, builder.getUnitAttr());
  maximum->getResult(0).replaceUsesWithIf(
      reference.getResult(), [&](OpOperand &use) {
        Operation *user = use.getOwner();
        return user->getBlock() != last->getBlock() ||
               (last->isBeforeInBlock(user) && user != reference);
      });
  for (arith::MulFOp product : softmax.products) {
    // A number for each row is multiplied sooner than asked about.
    if (cta::getTile(product.getResult()).getNumElements() ==
        cta::getTile(softmax.maximum).getNumElements())
      continue;
    bool isLeft = isa<BlockArgument>(product.getLhs());
    builder.setInsertionPoint(product);
    Value rescaled = cta::RescaleOp::create(
        builder, product.getLoc(), isLeft ? product.getLhs() : product.getRhs(),
        isLeft ? product.getRhs() : product.getLhs());
    product.replaceAllUsesWith(rescaled);
    product.erase();
  }
}

namespace {

struct CtaOnlineSoftmax
    : triton_shared::impl::CtaOnlineSoftmaxBase<CtaOnlineSoftmax> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (const OnlineSoftmax &softmax : findOnlineSoftmaxes(function))
        defer(softmax);
  }
};

} // namespace
