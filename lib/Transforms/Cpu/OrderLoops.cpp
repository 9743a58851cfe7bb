//===- OrderLoops.cpp - Loops of dots in the order of memory --------------===//
//
// The innermost loop of a dot runs along a row of the result, so that its
// elements are independent and LLVM makes vectors of them. Each element is
// still summed up in the same order.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUORDERLOOPS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The loops of a dot with the last parallel one innermost; nothing if they are
/// in this order already.
std::optional<SmallVector<unsigned>> orderLoops(linalg::GenericOp op) {
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  if (!linalg::isaContractionOpInterface(op) || parallel.empty() ||
      parallel.back() + 1 == op.getNumLoops())
    return std::nullopt;
  SmallVector<unsigned> order;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop != parallel.back())
      order.push_back(loop);
  order.push_back(parallel.back());
  return order;
}

struct CpuOrderLoops : triton_shared::impl::CpuOrderLoopsBase<CpuOrderLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    WalkResult walk = getOperation()->walk([&](linalg::GenericOp op) {
      std::optional<SmallVector<unsigned>> order = orderLoops(op);
      if (!order)
        return WalkResult::advance();
      rewriter.setInsertionPoint(op);
      return failed(linalg::interchangeGenericOp(rewriter, op, *order))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
