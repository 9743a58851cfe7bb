//===- GeneralizeProducts.cpp - Named operations as loops -----------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUGENERALIZEPRODUCTS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct CpuGeneralizeProducts
    : triton_shared::impl::CpuGeneralizeProductsBase<CpuGeneralizeProducts> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> named;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp>(op) && !op->hasAttr(tts::kGpuProduct))
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      // Convolutions on buffers and the like stay, as they would upstream.
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
  }
};

} // namespace
