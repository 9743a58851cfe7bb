//===- CheckValues.cpp - Notes where values are wrong ---------------------===//

#include "CheckValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONCHECKVALUES
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

struct TritonCheckValues
    : triton_shared::impl::TritonCheckValuesBase<TritonCheckValues> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<tt::FuncOp>()) {
      if (kernel.isExternal())
        continue;
      if (!kernel.getBody().hasOneBlock()) {
        InFlightDiagnostic error = kernel.emitOpError("cannot be checked");
        error.attachNote() << "it has unstructured control flow";
        error.attachNote()
            << "run 'triton-structure-control-flow' before this pass";
        return signalPassFailure();
      }
      // What each adds is nothing that those behind it look at: integers that
      // form no addresses, then no floats.
      noteUndefinedLanes(kernel);
      noteWrappedAddresses(kernel);
      noteNotFiniteValues(kernel);
      noteFalseHints(kernel);
    }
  }
};

} // namespace
