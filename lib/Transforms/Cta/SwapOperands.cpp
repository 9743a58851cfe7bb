//===- SwapOperands.cpp - Products of few rows, computed transposed -------===//
//
// A `wgmma` has 64 rows and any number of columns, so that few rows would waste
// most of it. The transposed product has many rows: the right operand becomes
// the left one. Loads are turned by `cta-turn-loads`, and tensor cores read
// either way round, so that in the loop nothing is transposed; the sum is, once
// behind the loop, and that is but another name of its registers.
//
//===----------------------------------------------------------------------===//

#include "Warpgroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASWAPOPERANDS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// The rows of a `wgmma`. Source: PTX ISA, "wgmma.mma_async".
static constexpr int64_t kRows = 64;

/// True if tensor cores can read `operand` of a product from shared memory
/// when it is copied there as it lies: elements of 16 bits either way, others
/// with neighbours along the `common` dimension.
static bool isReadable(Value operand, unsigned common) {
  constexpr int64_t kEitherWayBytes = 2;
  auto load = operand.getDefiningOp<tts::LoadOp>();
  return !load || cta::getElementBytes(operand.getType()) == kEitherWayBytes ||
         (!load.hasOffsetPerElement() &&
          getConstantIntValue(load.getDimensions()[common].stride) == 1);
}

/// True if it is worth it to write what is computed in each turn to shared
/// memory, for all warps to meet, and to multiply: of a short product that
/// takes longer than to multiply in each warp.
static bool isDeep(cta::DotOp dot) {
  constexpr int64_t kLeastDepth = 32;
  auto isLoaded = [](Value operand) {
    return operand.getDefiningOp<tts::LoadOp>() != nullptr;
  };
  return (isLoaded(dot.getA()) && isLoaded(dot.getB())) ||
         cta::getTile(dot.getA()).getDimSize(1) >= kLeastDepth;
}

/// True if `dot` has too few rows for a `wgmma`, but as many columns.
static bool isSkinny(cta::DotOp dot) {
  RankedTensorType result = cta::getTile(dot.getResult());
  Type element = getElementTypeOrSelf(dot.getA());
  bool hasWgmma =
      !element.isF64() && (!element.isF32() || dot.getPrecision() == "tf32");
  return hasWgmma && result.getRank() == 2 && result.getDimSize(0) < kRows &&
         result.getDimSize(1) >= kRows && isDeep(dot) &&
         isReadable(dot.getA(), /*common=*/1) &&
         isReadable(dot.getB(), /*common=*/0);
}

/// The variable of the loop around `dot` that only adds up its results; null if
/// there is none.
static BlockArgument findSum(cta::DotOp dot) {
  auto sum = dyn_cast<BlockArgument>(dot.getAccumulator());
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  if (!sum || !loop || sum.getOwner() != loop.getBody() || !sum.hasOneUse() ||
      !dot->hasOneUse())
    return nullptr;
  OpOperand *yielded = loop.getTiedLoopYieldedValue(sum);
  return yielded && yielded->get() == dot.getResult() ? sum : nullptr;
}

static RankedTensorType getTransposed(RankedTensorType type) {
  return RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)},
                               type.getElementType());
}

static Value transpose(OpBuilder &builder, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)))
    return arith::ConstantOp::create(builder, value.getLoc(),
                                     splat.resizeSplat(getTransposed(type)));
  return cta::TransposeOp::create(builder, value.getLoc(), getTransposed(type),
                                  value, ArrayRef<int64_t>{1, 0});
}

/// Computes the transposed of `dot`, which adds to `sum`.
static void swap(cta::DotOp dot, BlockArgument sum) {
  auto loop = cast<scf::ForOp>(dot->getParentOp());
  OpBuilder builder(dot);
  Value left = transpose(builder, dot.getB());
  Value right = transpose(builder, dot.getA());
  dot.getAMutable().set(left);
  dot.getBMutable().set(right);
  RankedTensorType type = getTransposed(cta::getTile(dot.getResult()));
  dot.getResult().setType(type);
  sum.setType(type);
  OpOperand *init = loop.getTiedLoopInit(sum);
  builder.setInsertionPoint(loop);
  init->set(transpose(builder, init->get()));
  OpResult result = loop.getTiedLoopResult(sum);
  result.setType(type);
  builder.setInsertionPointAfter(loop);
  Value turned = transpose(builder, result);
  result.replaceAllUsesExcept(turned, turned.getDefiningOp());
}

namespace {

struct CtaSwapOperands
    : triton_shared::impl::CtaSwapOperandsBase<CtaSwapOperands> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!mayUseWarpgroups(function))
        continue;
      SmallVector<cta::DotOp> dots;
      function.walk([&](cta::DotOp dot) { dots.push_back(dot); });
      for (cta::DotOp dot : dots)
        if (BlockArgument sum = findSum(dot); sum && isSkinny(dot))
          swap(dot, sum);
    }
  }
};

} // namespace
