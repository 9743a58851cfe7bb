//===- Pass.cpp - linalg-to-cta -------------------------------------------===//

#include "Topics.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "triton-shared/Conversion/LinalgToGpu.h"
#include "triton-shared/Transforms/MemorySpaces.h"
#include "triton-shared/Transforms/SizeChecks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_LINALGTOCTA
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct LinalgToCta : triton_shared::impl::LinalgToCtaBase<LinalgToCta> {
  using Base::Base;

  void runOnOperation() override {
    if (!llvm::isPowerOf2_32(numWarps) || numWarps > 32) {
      getOperation().emitError("cannot run on ")
          << numWarps.getValue() << " warps; use 1, 2, 4, 8, 16 or 32";
      return signalPassFailure();
    }
    std::string name = "sm_" + arch;
    auto target =
        cta::TargetAttr::getChecked([&] { return getOperation().emitError(); },
                                    &getContext(), StringRef(name));
    if (!target)
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(checkMemorySpaces(function)))
        return signalPassFailure();
    checkMarkedSizes(getOperation());
    // Reductions are known by slices that they take: they go first, and leave
    // slices that nobody takes any more.
    RewritePatternSet across(&getContext());
    populateLinalgToCtaReduce(across);
    populateLinalgToCtaCollectives(across);
    walkAndApplyPatterns(getOperation(), std::move(across));
    eraseDeadCode();

    RewritePatternSet patterns(&getContext());
    populateLinalgToCtaGeneric(patterns);
    populateLinalgToCtaShapes(patterns);
    populateLinalgToCtaSlices(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    eraseDeadCode();

    Builder builder(&getContext());
    // What is declared alone is a function of the library, and has no tiles.
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      function->setAttr(cta::kNumWarps, builder.getI32IntegerAttr(numWarps));
      function->setAttr(cta::kTarget, target);
    }
    if (reportLeftovers())
      signalPassFailure();
  }

private:
  void eraseDeadCode() {
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

  /// True if something is left that is no tile operation.
  bool reportLeftovers() {
    WalkResult result =
        getOperation().walk<WalkOrder::PreOrder>([](Operation *op) {
          if (isa_and_nonnull<linalg::LinalgDialect, tensor::TensorDialect,
                              bufferization::BufferizationDialect>(
                  op->getDialect())) {
            if (isOpTriviallyDead(op))
              return WalkResult::advance();
            op->emitOpError("has no form on tiles for the GPU yet").attachNote()
                << "the CPU can run this kernel: use device \"cpu\"";
            return WalkResult::interrupt();
          }
          for (Type type : op->getResultTypes())
            if (auto tile = dyn_cast<RankedTensorType>(type))
              if (!llvm::all_of(tile.getShape(), [](int64_t size) {
                    return llvm::isPowerOf2_64(size);
                  })) {
                if (isOpTriviallyDead(op))
                  continue;
                InFlightDiagnostic error =
                    op->emitOpError("makes a block of type ") << type;
                error.attachNote() << "blocks on the GPU have powers of two as "
                                      "sizes; use a mask for the rest";
                return WalkResult::interrupt();
              }
          return WalkResult::advance();
        });
    return result.wasInterrupted();
  }
};

} // namespace
