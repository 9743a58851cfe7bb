//===- ChooseInstructions.cpp - What computes a matrix product ------------===//
//
// `wgmma` where it computes a product as it stands; of 8-bit floats, where it
// does of f16 made of them; `mma.sync` for the rest. Only what is chosen says
// which types operands and sums have, so that conversions stand here.
//
//===----------------------------------------------------------------------===//

#include "LayoutRules.h"
#include "Warpgroups.h"

#include "triton-shared/Transforms/SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTACHOOSEINSTRUCTIONS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
using cta::MmaAttr;
using cta::WgmmaAttr;

/// What `wgmma` multiplies. Source: PTX ISA, "wgmma.mma_async".
static constexpr int64_t kWgmmaRows = 64;
static constexpr int64_t kWgmmaMinColumns = 8;
static constexpr int64_t kWgmmaMaxColumns = 256;
static constexpr int64_t kWgmmaDepthBytes = 32;

/// The columns of sums that are added to others later. Two of them are in
/// registers besides those, for which ptxas has no room if they are larger.
static constexpr int64_t kPartialColumns = 32;

/// True if `value` is computed, element by element, from the result of a
/// product: then tensor cores can take it from where that one left it.
static bool isMadeOfProduct(Value value) {
  SmallVector<Value> waiting = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!waiting.empty()) {
    Value next = waiting.pop_back_val();
    Operation *definition = next.getDefiningOp();
    if (!definition || !seen.insert(next).second)
      continue;
    if (isa<cta::DotOp>(definition))
      return true;
    if (isElementwiseOnTiles(definition))
      llvm::append_range(waiting, definition->getOperands());
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isSmallFloat(Value operand) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(operand));
  return type && type.getWidth() == 8;
}

/// True if `wgmma` multiplies elements of these types.
static bool hasWgmmaTypes(cta::DotOp dot) {
  Type left = getElementTypeOrSelf(dot.getA());
  Type right = getElementTypeOrSelf(dot.getB());
  Type sum = getElementTypeOrSelf(dot.getType());
  auto isTaken = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  if (isTaken(left) && isTaken(right))
    return sum.isF32() || sum.isF16();
  if (left != right)
    return false;
  if (left.isInteger(8))
    return sum.isInteger(32);
  if (left.isF16())
    return sum.isF32() || sum.isF16();
  return sum.isF32() &&
         (left.isBF16() || (left.isF32() && dot.getPrecision() == "tf32"));
}

/// Gives a product f16 in place of 8-bit floats. Each of these is an f16, so
/// that nothing is lost, and the tensor cores of all GPUs take f16.
static void widenOperands(cta::DotOp dot) {
  OpBuilder builder(dot);
  for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()})
    if (isSmallFloat(operand->get())) {
      auto tile = cast<RankedTensorType>(operand->get().getType());
      operand->set(arith::ExtFOp::create(builder, dot.getLoc(),
                                         tile.clone(builder.getF16Type()),
                                         operand->get()));
    }
  dot.removeImpreciseAttr();
}

/// The f16 of which `accumulator` is made; null if it is made otherwise.
static Value findNarrow(OpBuilder &builder, Value accumulator) {
  Type half = builder.getF16Type();
  if (auto widened = accumulator.getDefiningOp<arith::ExtFOp>())
    return getElementTypeOrSelf(widened.getIn()) == half ? widened.getIn()
                                                         : Value();
  if (!matchPattern(accumulator, m_AnyZeroFloat()))
    return nullptr;
  auto type = cast<ShapedType>(accumulator.getType()).clone(half);
  return arith::ConstantOp::create(builder, accumulator.getLoc(), type,
                                   builder.getZeroAttr(type));
}

/// Lets a product whose sum is meant to be an f16 add up in f16, without the
/// conversions around it. Gives the product that is there afterwards.
static cta::DotOp addInHalf(cta::DotOp dot) {
  bool suits =
      getElementTypeOrSelf(dot.getA()).isF16() || isSmallFloat(dot.getA());
  if (!suits || !dot->hasAttr(tts::kAddsInHalf) || !dot->hasOneUse())
    return dot;
  auto narrowed = dyn_cast<arith::TruncFOp>(*dot->getUsers().begin());
  if (!narrowed || !getElementTypeOrSelf(narrowed.getType()).isF16())
    return dot;
  OpBuilder builder(dot);
  Value accumulator = findNarrow(builder, dot.getAccumulator());
  if (!accumulator)
    return dot;
  auto added = cta::DotOp::create(builder, dot.getLoc(), dot.getA(), dot.getB(),
                                  accumulator);
  if (Attribute number = dot->getDiscardableAttr(tts::kProductNumber))
    added->setAttr(tts::kProductNumber, number);
  narrowed.replaceAllUsesWith(added.getResult());
  narrowed.erase();
  dot.erase();
  return added;
}

//===----------------------------------------------------------------------===//
// Products of four warps
//===----------------------------------------------------------------------===//

/// The columns that one instruction computes of a result: as many as the warps
/// of a group have to.
static int64_t getWarpgroupColumns(ArrayRef<int64_t> shape, int64_t numWarps) {
  int64_t groups = numWarps / GpuTarget::kWarpgroupWarps;
  int64_t alongColumns = std::max<int64_t>(
      1, groups / std::max<int64_t>(1, shape[0] / kWgmmaRows));
  return std::min(kWgmmaMaxColumns,
                  std::max(kWgmmaMinColumns, shape[1] / alongColumns));
}

static int64_t getWgmmaDepth(cta::DotOp dot) {
  return kWgmmaDepthBytes / cta::getElementBytes(dot.getA().getType());
}

static bool suitsWgmma(cta::DotOp dot) {
  RankedTensorType result = cta::getTile(dot.getResult());
  return hasWgmmaTypes(dot) && result.getRank() == 2 &&
         result.getDimSize(0) >= kWgmmaRows &&
         result.getDimSize(1) >= kWgmmaMinColumns &&
         cta::getTile(dot.getA()).getDimSize(1) >= getWgmmaDepth(dot);
}

/// Lets groups of four warps compute `dot` from shared memory, if they can.
static void chooseWgmma(cta::DotOp dot, int64_t numWarps) {
  if (!suitsWgmma(dot))
    return;
  dot = addInHalf(dot);
  auto setColumns = [&](int64_t columns) {
    dot.setInstructionAttr(WgmmaAttr::get(dot.getContext(), kWgmmaRows, columns,
                                          getWgmmaDepth(dot),
                                          isMadeOfProduct(dot.getA())));
  };
  int64_t columns =
      getWarpgroupColumns(cta::getTile(dot.getResult()).getShape(), numWarps);
  setColumns(columns);
  if (dot.getPartialDepth())
    setColumns(std::min(columns, kPartialColumns));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool suits(cta::DotOp dot, MmaAttr mma) {
  RankedTensorType result = cta::getTile(dot.getResult());
  return result.getRank() == 2 && result.getDimSize(0) >= mma.getM() &&
         result.getDimSize(1) >= mma.getN() &&
         cta::getTile(dot.getA()).getDimSize(1) >= mma.getK();
}

namespace {

struct CtaChooseInstructions
    : triton_shared::impl::CtaChooseInstructionsBase<CtaChooseInstructions> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      int64_t numWarps = cta::getNumWarps(function).value_or(1);
      bool hasWgmma = mayUseWarpgroups(function);
      if (hasWgmma)
        for (cta::DotOp dot : findWithout(function))
          chooseWgmma(dot, numWarps);
      for (cta::DotOp dot : findWithout(function))
        widenOperands(dot);
      if (hasWgmma)
        for (cta::DotOp dot : findWithout(function))
          chooseWgmma(dot, numWarps);
      for (cta::DotOp dot : findWithout(function))
        if (MmaAttr mma = cta::findMma(dot); mma && suits(dot, mma))
          dot.setInstructionAttr(mma);
      function.walk(
          [](cta::DotOp dot) { dot->removeDiscardableAttr(tts::kAddsInHalf); });
    }
  }

private:
  /// The products that have no instruction.
  static SmallVector<cta::DotOp> findWithout(func::FuncOp function) {
    SmallVector<cta::DotOp> dots;
    function.walk([&](cta::DotOp dot) {
      if (!dot.getInstruction())
        dots.push_back(dot);
    });
    return dots;
  }
};

} // namespace
