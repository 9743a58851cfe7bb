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
  arith::MulFOp product;
  Value elements;
  /// The number, or a constant tile of it.
  Value scale;
};

} // namespace

/// True if the result of `reduce` is one of the elements.
static bool keepsOne(cta::ReduceOp reduce) {
  return isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp, arith::MinNumFOp,
                         arith::MinimumFOp>(cta::findCombine(reduce));
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
  if (!keepsOne(reduce))
    return std::nullopt;
  auto product = reduce.getSources().front().getDefiningOp<arith::MulFOp>();
  if (!product || !llvm::all_of(product->getUsers(), [&](Operation *user) {
        return user == reduce || takesProduct(user);
      }))
    return std::nullopt;
  for (auto [one, other] : {std::pair(product.getLhs(), product.getRhs()),
                            std::pair(product.getRhs(), product.getLhs())}) {
    if (Value scale = findUniform(other))
      return ScaledExtremum{reduce, product, one, scale};
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

/// The extremum of the products, with a number that may be anything. LLVM would
/// make them before the branch, for what comes behind it as well, if it knew
/// the number for the same.
static Value scaleElements(OpBuilder &builder, const ScaledExtremum &found) {
  arith::MulFOp product = found.product;
  Location loc = product.getLoc();
  Value scale = cta::OpaqueOp::create(builder, loc, found.scale);
  Value products = multiply(builder, found, found.elements, scale);
  cta::ReduceOp reduce = found.reduce;
  auto scaled = cast<cta::ReduceOp>(builder.clone(*reduce));
  scaled->setOperands(products);
  return scaled.getResult(0);
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

/// Scales the extremum by a number that is known when the kernel runs; rarely
/// it has to scale the elements. That case has its branch first: code
/// generators see one block at a time, and so the usual extremum is in one with
/// what is computed from it.
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
        scf::YieldOp::create(inside, loc, scaleElements(inside, found));
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
