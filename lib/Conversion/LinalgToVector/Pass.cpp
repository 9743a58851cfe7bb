//===- Pass.cpp - linalg-to-vector ----------------------------------------===//

#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::triton_shared {
#define GEN_PASS_DECL_LINALGTOVECTOR
#define GEN_PASS_DEF_LINALGTOVECTOR
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct LinalgToVector
    : triton_shared::impl::LinalgToVectorBase<LinalgToVector> {
  using LinalgToVectorBase::LinalgToVectorBase;

  void runOnOperation() override {
    RewritePatternSet copies(&getContext());
    populateCopiesAcross(copies);
    walkAndApplyPatterns(getOperation(), std::move(copies));
    RewritePatternSet patterns(&getContext());
    populateElementwiseToVector(patterns, vectorBytes,
                                std::min<unsigned>(streamBytes, vectorBytes));
    populateReductionsToVector(patterns, vectorBytes, hasFma);
    populateTupleReductionsToVector(patterns, vectorBytes);
    populateCopiesToVector(patterns, vectorBytes);
    populateTransposesToVector(patterns, vectorBytes);
    populateElementLoopsToVector(patterns, vectorBytes);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
