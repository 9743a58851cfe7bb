//===- StructuredToMemRef.cpp - The pass ----------------------------------===//
//
// Applies the patterns of this folder and reports what they left. The contract
// of the pass is in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Conversion/StructuredToMemRef.h"
#include "triton-shared/Transforms/SizeChecks.h"

#include "Elements.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_STRUCTUREDTOMEMREF
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

void triton_shared::populateStructuredToMemRef(RewritePatternSet &patterns) {
  populateStridedAccesses(patterns);
  populateElementAccesses(patterns);
  populateAtomicAccesses(patterns);
  populateAddresses(patterns);
  populateMachineRegisters(patterns);
  populateMessages(patterns);
  populateScansToLoops(patterns);
  populateHistograms(patterns);
}

namespace {

/// Why an access cannot be lowered; empty if it can.
StringRef findProblem(Operation *op) {
  for (Value operand : op->getOperands())
    if (tts::isAccessBase(operand.getType()) &&
        !isa<UnrankedMemRefType>(operand.getType()))
      return "its base is not a memref of unknown rank";
  if (isa<tts::PrintOp, tts::AssertOp>(op)) {
    auto function = op->getParentOfType<func::FuncOp>();
    if (!function || !tts::KernelSignature(function).hasProgram())
      return "the function lacks the program ids as its last arguments";
  }
  return "";
}

/// What only a GPU's threads have is an error of the kernel.
LogicalResult reportThreadRegister(tts::ReadMachineOp op) {
  if (!tts::isOfThread(op.getName()))
    return success();
  InFlightDiagnostic error = op->emitError("kernel reads \"%")
                             << tts::stringifyMachineRegister(op.getName())
                             << "\", which tells the threads of a program on "
                                "a GPU apart";
  error.attachNote()
      << "on a CPU no thread holds an element more than another: "
         "one runs the whole program";
  error.attachNote() << "number elements by tl.arange, programs by "
                        "tl.program_id";
  return error;
}

struct StructuredToMemRef
    : triton_shared::impl::StructuredToMemRefBase<StructuredToMemRef> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk([](Operation *op) {
      if (!isa_and_nonnull<tts::TTSDialect>(op->getDialect()))
        return WalkResult::advance();
      if (auto read = dyn_cast<tts::ReadMachineOp>(op))
        return WalkResult(reportThreadRegister(read));
      StringRef problem = findProblem(op);
      if (problem.empty())
        return WalkResult::advance();
      InFlightDiagnostic diagnostic =
          op->emitOpError("cannot be lowered to memory");
      diagnostic.attachNote() << problem;
      diagnostic.attachNote()
          << "run 'triton-tensors-to-linalg' before this pass";
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    checkMarkedSizes(getOperation());
    markWaitingLoops(getOperation());
    RewritePatternSet patterns(&getContext());
    populateStructuredToMemRef(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      tts::KernelSignature::removeNames(function);
  }
};

} // namespace
