//===- CollapseLoops.cpp - Few long loops instead of many short ones ------===//
//
// A sort reshapes its block to 2x2x...x2 and works on one dimension at a time.
// Loops that run along neighbours in memory are one loop, so no operation needs
// a nest of twelve: LLVM would unroll each of its loops of two.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUCOLLAPSELOOPS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Nests up to this deep stay: LLVM copes with them, and what reads
/// `linalg.index` would have to divide.
constexpr unsigned kDeepestNest = 4;

/// `loop` and the one after it are one loop: both are of one kind, and every
/// operand has them side by side or not at all.
bool isOneLoopWithNext(linalg::GenericOp op, unsigned loop) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  if (kinds[loop] != kinds[loop + 1])
    return false;
  ReassociationIndices pair = {loop, loop + 1};
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return linalg::isDimSequencePreserved(map, pair);
  });
}

/// The runs of loops that are one loop.
SmallVector<ReassociationIndices> findRuns(linalg::GenericOp op) {
  SmallVector<ReassociationIndices> runs = {{0}};
  for (unsigned loop = 1; loop < op.getNumLoops(); ++loop) {
    if (isOneLoopWithNext(op, loop - 1))
      runs.back().push_back(loop);
    else
      runs.push_back({loop});
  }
  llvm::erase_if(runs, [](ArrayRef<int64_t> run) { return run.size() == 1; });
  return runs;
}

/// `op` without loops of one iteration and dimensions of size 1, which would
/// keep their neighbours apart. It may be replaced.
linalg::GenericOp dropUnitLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  FailureOr<linalg::DropUnitDimsResult> result =
      linalg::dropUnitDims(rewriter, op, linalg::ControlDropUnitDims());
  if (failed(result))
    return op;
  rewriter.replaceOp(op, result->replacements);
  return cast<linalg::GenericOp>(result->resultOp.getOperation());
}

void collapseLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  rewriter.setInsertionPoint(op);
  op = dropUnitLoops(rewriter, op);
  bool isProjection =
      llvm::all_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isProjectedPermutation(); });
  if (!isProjection || op.getNumLoops() <= 1)
    return;
  SmallVector<ReassociationIndices> runs = findRuns(op);
  if (runs.empty())
    return;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> result =
      linalg::collapseOpIterationDims(op, runs, rewriter);
  if (succeeded(result))
    rewriter.replaceOp(op, result->results);
}

struct CpuCollapseLoops
    : triton_shared::impl::CpuCollapseLoopsBase<CpuCollapseLoops> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> deepNests;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (op.getNumLoops() > kDeepestNest && op.hasPureTensorSemantics())
        deepNests.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : deepNests)
      collapseLoops(rewriter, op);
  }
};

} // namespace
