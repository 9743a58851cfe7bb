//===- CopiesToLoops.cpp - Copies of memory as loops ----------------------===//
//
// Views of memory have any strides; a loop nest copies them all, and LLVM makes
// a block copy of it where the strides allow.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "triton-shared/Conversion/LinalgToCpu.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUCOPIESTOLOOPS
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct LowerCopy : OpRewritePattern<memref::CopyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::CopyOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<MemRefType>(op.getSource().getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "unknown rank");
    Location loc = op.getLoc();
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    SmallVector<Value> ends;
    for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
      ends.push_back(
          rewriter.createOrFold<memref::DimOp>(loc, op.getSource(), dimension));
    scf::buildLoopNest(
        rewriter, loc, SmallVector<Value>(ends.size(), zero), ends,
        SmallVector<Value>(ends.size(), one),
        [&](OpBuilder &inner, Location innerLoc, ValueRange indices) {
          Value element =
              memref::LoadOp::create(inner, innerLoc, op.getSource(), indices);
          memref::StoreOp::create(inner, innerLoc, element, op.getTarget(),
                                  indices);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

struct CpuCopiesToLoops
    : triton_shared::impl::CpuCopiesToLoopsBase<CpuCopiesToLoops> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerCopy>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
