//===- ScaleMaxima.cpp - One product per row rather than per element ------===//
//
// The largest of scaled elements is the largest element, scaled: rounding keeps
// the order. What the elements are scaled for otherwise is often a difference,
// which multiplies and subtracts at once. So a softmax of scores times a factor
// has one operation per element less.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASCALEMAXIMA
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Largest or smallest elements, and what they are taken of: elements times one
/// number.
struct ScaledExtremum {
  cta::ReduceOp reduce;
  /// What the region combines two elements with.
  Operation *combine;
  arith::MulFOp product;
  Value elements;
  /// The number, or a constant tile of it.
  Value scale;
};

} // namespace

/// The operation that `reduce` combines elements with, if it keeps one of them.
static Operation *findChoice(cta::ReduceOp reduce) {
  Operation *combine = cta::findCombine(reduce);
  bool keepsOne = isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp,
                                  arith::MinNumFOp, arith::MinimumFOp>(combine);
  return keepsOne ? combine : nullptr;
}

/// The number that is every element of `tile`; null if that is not known.
static Value findUniform(Value tile) {
  if (auto splat = tile.getDefiningOp<cta::SplatOp>())
    return splat.getSource();
  DenseElementsAttr elements;
  return matchPattern(tile, m_Constant(&elements)) && elements.isSplat()
             ? tile
             : nullptr;
}

/// True if `user` of a product is computed together with it.
static bool takesProduct(Operation *user) {
  return isa<arith::AddFOp, arith::SubFOp>(user);
}

static std::optional<ScaledExtremum> findScaled(cta::ReduceOp reduce) {
  Operation *combine = findChoice(reduce);
  if (!combine)
    return std::nullopt;
  auto product = reduce.getSources().front().getDefiningOp<arith::MulFOp>();
  if (!product || !llvm::all_of(product->getUsers(), [&](Operation *user) {
        return user == reduce || takesProduct(user);
      }))
    return std::nullopt;
  // What becomes of other numbers than the largest tells ends that are none.
  bool takesAny = isa<arith::MaxNumFOp, arith::MinNumFOp>(combine);
  for (auto [one, other] : {std::pair(product.getLhs(), product.getRhs()),
                            std::pair(product.getRhs(), product.getLhs())}) {
    Value scale = findUniform(other);
    if (scale && (takesAny || isa<RankedTensorType>(scale.getType())))
      return ScaledExtremum{reduce, combine, product, one, scale};
  }
  return std::nullopt;
}

/// True if a thread has registers for the elements and their products at once,
/// beside what a loop around carries: a branch between them makes it hold both.
static bool fitsIntoRegisters(const ScaledExtremum &found) {
  constexpr int64_t kOther = 24;
  cta::ReduceOp reduce = found.reduce;
  auto function = reduce->getParentOfType<func::FuncOp>();
  int64_t warps = cta::getNumWarps(function).value_or(1);
  // Another warp may copy for these.
  int64_t perThread =
      GpuTarget::getRegisterLimit(GpuTarget::kWarpSize * (warps + 1));
  int64_t bytes = 2 * cta::getTileBytes(cta::getTile(found.elements));
  if (auto loop = reduce->getParentOfType<scf::ForOp>())
    for (Type type : loop.getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type))
        bytes += cta::getTileBytes(tile);
  return bytes <= 4 * (perThread - kOther) * 32 * warps;
}

/// True for what takes the larger one of two elements.
static bool takesLarger(Operation *combine) {
  return isa<arith::MaxNumFOp, arith::MaximumFOp>(combine);
}

/// The larger or the smaller one of two, of which one may be no number.
static Value createEnd(OpBuilder &builder, Location loc, bool isLarger,
                       Value left, Value right) {
  if (isLarger)
    return arith::MaxNumFOp::create(builder, loc, left, right);
  return arith::MinNumFOp::create(builder, loc, left, right);
}

/// The largest or smallest of `elements` along `axis`.
static Value reduceToEnd(OpBuilder &builder, Location loc, bool isLarger,
                         Value elements, int64_t axis) {
  RankedTensorType type = cta::getTile(elements);
  Type element = type.getElementType();
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  auto end =
      cta::ReduceOp::create(builder, loc, RankedTensorType::get(shape, element),
                            elements, builder.getI64IntegerAttr(axis));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&end.getCombine(), {}, {element, element},
                                    {loc, loc});
  cta::YieldOp::create(builder, loc,
                       createEnd(builder, loc, isLarger, body->getArgument(0),
                                 body->getArgument(1)));
  return end.getResult(0);
}

/// The same, where the halves of the axis meet first: in the order of the code
/// behind the branch, LLVM would find the largest element on both ways, and
/// compute it before they meet.
static Value reduceHalvesToEnd(OpBuilder &builder, Location loc, bool isLarger,
                               Value elements, int64_t axis) {
  RankedTensorType type = cta::getTile(elements);
  SmallVector<int64_t> shape(type.getShape());
  if (shape[axis] > 1) {
    shape[axis] /= 2;
    shape.insert(shape.begin() + axis, 2);
    elements = cta::ReshapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        elements);
    elements = reduceToEnd(builder, loc, isLarger, elements, axis);
  }
  return reduceToEnd(builder, loc, isLarger, elements, axis);
}

/// `numbers` times `scale`, which is one number for all of them.
static Value multiply(OpBuilder &builder, const ScaledExtremum &found,
                      Value numbers, Value scale) {
  arith::MulFOp product = found.product;
  Location loc = product.getLoc();
  if (isa<RankedTensorType>(numbers.getType()))
    scale = cta::SplatOp::create(builder, loc, numbers.getType(), scale);
  return arith::MulFOp::create(builder, loc, numbers, scale,
                               product.getFastmath());
}

/// The extremum of the elements as they are, times `scale`.
static Value scaleExtremum(OpBuilder &builder, const ScaledExtremum &found,
                           Value scale) {
  cta::ReduceOp reduce = found.reduce;
  auto unscaled = cast<cta::ReduceOp>(builder.clone(*reduce));
  unscaled->setOperands(found.elements);
  return multiply(builder, found, unscaled.getResult(0), scale);
}

/// The extremum of products with a number that may be anything, without making
/// the products. Below zero it turns the order round, so that either end of the
/// elements may have it. Both ends times it are no numbers where it is zero and
/// they are infinite, or the other way round: then the element that is nearest
/// to zero tells whether there is another product.
static Value scaleEitherEnd(OpBuilder &builder, const ScaledExtremum &found,
                            Value scale) {
  cta::ReduceOp reduce = found.reduce;
  Location loc = reduce.getLoc();
  bool isLarger = takesLarger(found.combine);
  int64_t axis = reduce.getAxis();
  Value ends[] = {
      reduceHalvesToEnd(builder, loc, /*isLarger=*/true, found.elements, axis),
      reduceHalvesToEnd(builder, loc, /*isLarger=*/false, found.elements,
                        axis)};
  for (Value &end : ends)
    end = multiply(builder, found, end, scale);
  Value extremum = createEnd(builder, loc, isLarger, ends[0], ends[1]);
  Value nearest =
      reduceToEnd(builder, loc, /*isLarger=*/false,
                  math::AbsFOp::create(builder, loc, found.elements), axis);
  Value isNumber = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::ORD, extremum, extremum);
  return arith::SelectOp::create(builder, loc, isNumber, extremum,
                                 multiply(builder, found, nearest, scale));
}

/// True if `scale` is above zero and not infinite: otherwise products have
/// another order than elements, or none.
static Value createKeepsOrder(OpBuilder &builder, Location loc, Value scale) {
  auto type = cast<FloatType>(scale.getType());
  auto constant = [&](const APFloat &number) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, number));
  };
  const llvm::fltSemantics &kind = type.getFloatSemantics();
  Value isAbove =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, scale,
                            constant(APFloat::getZero(kind)));
  Value isFinite =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLE, scale,
                            constant(APFloat::getLargest(kind)));
  return arith::AndIOp::create(builder, loc, isAbove, isFinite);
}

/// Scales the extremum by a number that is known when the kernel runs. The rare
/// case has its branch first: code generators see one block at a time, and so
/// the usual extremum is in one with what is computed from it.
static Value scaleByNumber(OpBuilder &builder, const ScaledExtremum &found) {
  cta::ReduceOp reduce = found.reduce;
  Location loc = reduce.getLoc();
  auto rows = cast<RankedTensorType>(reduce.getResult(0).getType());
  Value keepsOrder = createKeepsOrder(builder, loc, found.scale);
  auto rare = scf::IfOp::create(
      builder, loc, keepsOrder,
      [&](OpBuilder &inside, Location) {
        Value nothing =
            arith::ConstantOp::create(inside, loc, inside.getZeroAttr(rows));
        scf::YieldOp::create(inside, loc, nothing);
      },
      [&](OpBuilder &inside, Location) {
        scf::YieldOp::create(inside, loc,
                             scaleEitherEnd(inside, found, found.scale));
      });
  Value usual = scaleExtremum(builder, found, found.scale);
  Value isUsual = cta::SplatOp::create(
      builder, loc, rows.clone(builder.getI1Type()), keepsOrder);
  return arith::SelectOp::create(builder, loc, isUsual, usual,
                                 rare.getResult(0));
}

/// Scales the extremum of a constant, if that keeps the order of elements; null
/// otherwise.
static Value scaleByConstant(OpBuilder &builder, const ScaledExtremum &found,
                             DenseElementsAttr elements) {
  auto number = elements.getSplatValue<FloatAttr>();
  APFloat value = number.getValue();
  if (value.isNegative() || !value.isFiniteNonZero())
    return nullptr;
  arith::MulFOp product = found.product;
  Value scale = arith::ConstantOp::create(builder, product.getLoc(), number);
  return scaleExtremum(builder, found, scale);
}

/// Computes `product` where it is first used, if that is behind it in the same
/// block: code generators see one block at a time, and it is not to be there
/// before the branch that its elements' extremum has become.
static void sink(arith::MulFOp product) {
  Operation *first = nullptr;
  for (Operation *user : product->getUsers()) {
    if (user->getBlock() != product->getBlock())
      return;
    if (!first || user->isBeforeInBlock(first))
      first = user;
  }
  if (first)
    product->moveBefore(first);
}

namespace {

struct CtaScaleMaxima
    : triton_shared::impl::CtaScaleMaximaBase<CtaScaleMaxima> {
  void runOnOperation() override {
    SmallVector<ScaledExtremum> all;
    getOperation().walk([&](cta::ReduceOp reduce) {
      std::optional<ScaledExtremum> found = findScaled(reduce);
      if (found && fitsIntoRegisters(*found))
        all.push_back(*found);
    });
    for (ScaledExtremum found : all) {
      OpBuilder builder(found.reduce);
      DenseElementsAttr elements;
      Value scaled = matchPattern(found.scale, m_Constant(&elements))
                         ? scaleByConstant(builder, found, elements)
                         : scaleByNumber(builder, found);
      if (!scaled)
        continue;
      found.reduce.getResult(0).replaceAllUsesWith(scaled);
      found.reduce.erase();
      if (found.product->use_empty())
        found.product->erase();
      else
        sink(found.product);
    }
  }
};

} // namespace
