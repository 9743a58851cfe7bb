//===- TritonExplainAccesses.cpp - Say how each block is accessed ---------===//
//
// One remark per load or store of a block, at the line of the kernel: what the
// compiler has found out or, if it has found no structure, which value broke it
// and what to write instead. Or the same as a count, or as JSON.
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Analysis/UseAnalysis.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONEXPLAINACCESSES
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// Of blocks only: of a scalar there is nothing to say, of an atomic nothing to
/// change.
static void emitRemark(const AccessReport &report) {
  if (report.kind == AccessKind::Scalar || report.kind == AccessKind::Atomic)
    return;
  InFlightDiagnostic remark = report.op->emitRemark(describe(report));
  if (report.why) {
    remark.attachNote(report.why->culprit.getLoc())
        << "this value " << report.why->reason;
    remark.attachNote(report.op->getLoc()) << getWayOut(*report.why);
  }
  for (const Unstructured &mask : report.masks)
    remark.attachNote(mask.culprit.getLoc())
        << "the mask stays a tensor, because this value " << mask.reason;
}

/// Integers that are data besides saying where memory is accessed: structured
/// accesses do without the others. Said where they begin.
static void emitRemarksOnData(FunctionOpInterface function) {
  UseAnalysis uses(function);
  auto isBoth = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getElementType().isInteger() &&
           !type.getElementType().isInteger(1) &&
           uses.getUse(value) == Use::Mixed;
  };
  function.walk([&](Operation *op) {
    if (llvm::any_of(op->getResults(), isBoth) &&
        llvm::none_of(op->getOperands(), isBoth))
      op->emitRemark("these integers are data, too, and not only say where "
                     "memory is accessed: they are computed");
  });
}

namespace {

struct TritonExplainAccesses
    : triton_shared::impl::TritonExplainAccessesBase<TritonExplainAccesses> {
  using TritonExplainAccessesBase::TritonExplainAccessesBase;

  void runOnOperation() override {
    if (format != AccessFormat::Remarks)
      return printAccesses(getOperation(), format, llvm::outs());
    getOperation().walk([&](FunctionOpInterface function) {
      if (function.isExternal())
        return;
      for (const AccessReport &report : reportAccesses(function))
        emitRemark(report);
      emitRemarksOnData(function);
    });
  }
};

} // namespace
