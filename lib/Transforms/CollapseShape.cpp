//===- CollapseShape.cpp - Neighbouring dimensions become one -------------===//
//
// Upstream collapses operations; this finds which of their dimensions may be.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_COLLAPSESHAPE
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// True if an operation may go on with dimension `d` where it has just had
/// those of `run`.
bool continues(linalg::LinalgOp op, ArrayRef<int64_t> run, int64_t d) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  if (kinds[d] != kinds[run.back()])
    return false;
  SmallVector<int64_t> longer(run);
  longer.push_back(d);
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return linalg::isDimSequencePreserved(map, longer);
  });
}

/// Runs of more than one dimension that are one dimension everywhere.
SmallVector<ReassociationIndices> findRuns(linalg::LinalgOp op) {
  SmallVector<ReassociationIndices> runs;
  for (int64_t d = 0, end = op.getNumLoops(); d < end; ++d) {
    if (d > 0 && continues(op, runs.back(), d))
      runs.back().push_back(d);
    else
      runs.push_back({d});
  }
  llvm::erase_if(runs, [](const auto &run) { return run.size() == 1; });
  return runs;
}

void collapse(IRRewriter &rewriter, linalg::LinalgOp op) {
  SmallVector<ReassociationIndices> runs = findRuns(op);
  if (runs.empty())
    return;
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(*op);
  bool hadName = !generic;
  if (hadName) {
    FailureOr<linalg::GenericOp> named =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(named))
      return;
    generic = *named;
  }
  rewriter.setInsertionPoint(generic);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(generic, runs, rewriter);
  if (failed(collapsed))
    return;
  rewriter.replaceOp(generic, collapsed->results);
  if (auto result = dyn_cast<linalg::GenericOp>(*collapsed->collapsedOp);
      result && hadName) {
    rewriter.setInsertionPoint(result);
    // What has no name of its own stays a linalg.generic.
    (void)linalg::specializeGenericOp(rewriter, result);
  }
}

struct CollapseShape : triton_shared::impl::CollapseShapeBase<CollapseShape> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() &&
          isa<linalg::FillOp, linalg::BroadcastOp, linalg::TransposeOp,
              linalg::ReduceOp, linalg::GenericOp>(*op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops)
      collapse(rewriter, op);
  }
};

} // namespace
