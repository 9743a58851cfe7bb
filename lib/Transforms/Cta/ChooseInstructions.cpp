//===- ChooseInstructions.cpp - What computes a matrix product ------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTACHOOSEINSTRUCTIONS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
using cta::MmaAttr;

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

namespace {

struct CtaChooseInstructions
    : triton_shared::impl::CtaChooseInstructionsBase<CtaChooseInstructions> {
  void runOnOperation() override {
    getOperation().walk([](cta::DotOp dot) {
      RankedTensorType result = cta::getTile(dot.getResult());
      MmaAttr mma = findMma(dot);
      if (mma && result.getRank() == 2 && result.getDimSize(0) >= mma.getM() &&
          result.getDimSize(1) >= mma.getN() &&
          cta::getTile(dot.getA()).getDimSize(1) >= mma.getK())
        dot.setInstructionAttr(mma);
    });
  }
};

} // namespace
