//===- SeparateResults.cpp - A result of its own for each operation -------===//
//
// Operations that write to one `tensor.empty` would share its buffer. None
// could write to memory instead, and bufferization would compare each of them
// with all the others.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUSEPARATERESULTS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct CpuSeparateResults
    : triton_shared::impl::CpuSeparateResultsBase<CpuSeparateResults> {
  using CpuSeparateResultsBase::CpuSeparateResultsBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    if (ops.size() < least)
      return;
    for (linalg::LinalgOp op : ops)
      for (OpOperand &init : op.getDpsInitsMutable()) {
        auto empty = init.get().getDefiningOp<tensor::EmptyOp>();
        if (!empty || empty->hasOneUse())
          continue;
        OpBuilder builder(op);
        init.set(builder.clone(*empty)->getResult(0));
      }
  }
};

} // namespace
