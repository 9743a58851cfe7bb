//===- ChooseInstructions.cpp - What computes a matrix product ------------===//

#include "LayoutRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/AccessWidth.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
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
static constexpr int64_t kWgmmaMinColumns = 16;
static constexpr int64_t kWgmmaMaxColumns = 256;
static constexpr int64_t kWgmmaDepthBytes = 32;

/// The matrices that tensor cores multiply of the element types of `dot`; null
/// if there are none.
static MmaAttr findMma(cta::DotOp dot) {
  Builder builder(dot.getContext());
  Type operand = getElementTypeOrSelf(dot.getA());
  Type sum = getElementTypeOrSelf(dot.getType());
  auto get = [&](unsigned m, unsigned n, unsigned k, Type type) {
    return MmaAttr::get(dot.getContext(), m, n, k, type);
  };
  if (operand != getElementTypeOrSelf(dot.getB()))
    return nullptr;
  if ((operand.isF16() || operand.isBF16()) && sum.isF32())
    return get(16, 8, 16, operand);
  if (operand.isInteger(8) && sum.isInteger(32))
    return get(16, 8, 32, operand);
  if (operand.isF32() && sum.isF32() && dot.getPrecision() == "tf32")
    return get(16, 8, 8, builder.getTF32Type());
  if (operand.isF64() && sum.isF64())
    return get(8, 8, 4, operand);
  return nullptr;
}

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

/// The columns that one instruction computes of a result: as many as the warps
/// of a group have to.
static int64_t getWarpgroupColumns(ArrayRef<int64_t> shape, int64_t numWarps) {
  int64_t groups = numWarps / GpuTarget::kWarpgroupWarps;
  int64_t alongColumns = std::max<int64_t>(
      1, groups / std::max<int64_t>(1, shape[0] / kWgmmaRows));
  return std::min(kWgmmaMaxColumns,
                  std::max(kWgmmaMinColumns, shape[1] / alongColumns));
}

/// True if `wgmma` multiplies elements of these types.
static bool hasWgmmaTypes(cta::DotOp dot) {
  Type operand = getElementTypeOrSelf(dot.getA());
  Type sum = getElementTypeOrSelf(dot.getType());
  if (operand != getElementTypeOrSelf(dot.getB()))
    return false;
  if (operand.isInteger(8))
    return sum.isInteger(32);
  return sum.isF32() && (operand.isF16() || operand.isBF16() ||
                         (operand.isF32() && dot.getPrecision() == "tf32"));
}

namespace {

/// Chooses for the products of one function, of which each has its reasons.
class WgmmaChoice {
public:
  WgmmaChoice(int64_t numWarps, const DataFlowSolver &solver)
      : numWarps(numWarps), solver(solver) {}

  /// What four warps multiply from shared memory; null if nothing.
  WgmmaAttr find(cta::DotOp dot) const {
    RankedTensorType result = cta::getTile(dot.getResult());
    int64_t depth =
        kWgmmaDepthBytes / cta::getElementBytes(dot.getA().getType());
    bool suits = hasWgmmaTypes(dot) && result.getRank() == 2 &&
                 result.getDimSize(0) >= kWgmmaRows &&
                 result.getDimSize(1) >= kWgmmaMinColumns &&
                 cta::getTile(dot.getA()).getDimSize(1) >= depth;
    if (!suits || !isReadable(dot.getA(), /*common=*/1) ||
        !isReadable(dot.getB(), /*common=*/0))
      return nullptr;
    return WgmmaAttr::get(dot.getContext(), kWgmmaRows,
                          getWarpgroupColumns(result.getShape(), numWarps),
                          depth, isMadeOfProduct(dot.getA()));
  }

private:
  /// Elements of 16 bits may lie either way; others that are copied to shared
  /// memory have to be neighbours along the `common` dimension.
  bool isReadable(Value operand, unsigned common) const {
    constexpr int64_t kEitherWayBytes = 2;
    auto load = operand.getDefiningOp<tts::LoadOp>();
    return !load ||
           cta::getElementBytes(operand.getType()) == kEitherWayBytes ||
           describeAccessWidth(solver, load).order.front() == common;
  }

  int64_t numWarps;
  const DataFlowSolver &solver;
};

} // namespace

static bool suits(cta::DotOp dot, MmaAttr mma) {
  RankedTensorType result = cta::getTile(dot.getResult());
  return result.getRank() == 2 && result.getDimSize(0) >= mma.getM() &&
         result.getDimSize(1) >= mma.getN() &&
         cta::getTile(dot.getA()).getDimSize(1) >= mma.getK();
}

/// True if `function` becomes one with calls, for messages of its author:
/// ptxas lets nothing go on in such a function.
static bool calls(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    bool isCall = isa<tts::PrintOp>(op) ||
                  (isa<tts::AssertOp>(op) && !op->hasAttr(tts::kOwnCheck));
    return isCall ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

namespace {

struct CtaChooseInstructions
    : triton_shared::impl::CtaChooseInstructionsBase<CtaChooseInstructions> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<cta::DotOp> dots;
      function.walk([&](cta::DotOp dot) { dots.push_back(dot); });
      int64_t numWarps = cta::getNumWarps(function).value_or(1);
      if (!dots.empty() && cta::getTarget(function).hasWgmma() &&
          numWarps % GpuTarget::kWarpgroupWarps == 0 && !calls(function) &&
          failed(chooseWgmma(dots, numWarps)))
        return signalPassFailure();
      for (cta::DotOp dot : dots)
        if (MmaAttr mma = findMma(dot);
            !dot.getInstruction() && mma && suits(dot, mma))
          dot.setInstructionAttr(mma);
    }
  }

private:
  LogicalResult chooseWgmma(ArrayRef<cta::DotOp> dots, int64_t numWarps) {
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return failure();
    WgmmaChoice choice(numWarps, solver);
    for (cta::DotOp dot : dots)
      if (WgmmaAttr wgmma = choice.find(dot))
        dot.setInstructionAttr(wgmma);
    return success();
  }
};

} // namespace
