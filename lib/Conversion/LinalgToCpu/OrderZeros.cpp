//===- OrderZeros.cpp - Minimum and maximum as LLVM's intrinsics ----------===//
//
// Of two zeros the positive one is the larger, as IEEE 754-2019 has it and as
// GPUs compute. Upstream's expansion into a comparison takes either.
//
//===----------------------------------------------------------------------===//

#include "CpuFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "triton-shared/Conversion/LinalgToCpu.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUORDERZEROS
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

Value isNan(OpBuilder &builder, Location loc, Value value) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value,
                               value);
}

/// A NaN operand gives way to the other one. `llvm.maxnum` is something else:
/// it leaves the order of zeros open. So does LLVM where it makes one vector
/// reduction of a loop of `llvm.maximumnum`; scalars are therefore chosen by
/// hand.
template <typename Source, typename Target>
struct LowerYielding : OpRewritePattern<Source> {
  using OpRewritePattern<Source>::OpRewritePattern;

  static constexpr StringRef intrinsic =
      std::is_same_v<Source, arith::MaxNumFOp> ? "llvm.maximumnum"
                                               : "llvm.minimumnum";

  LogicalResult matchAndRewrite(Source op,
                                PatternRewriter &rewriter) const override {
    if (!isComputedByCpu(op.getType()))
      return rewriter.notifyMatchFailure(op, "not f32 or f64");
    Location loc = op.getLoc();
    if (isa<VectorType>(op.getType())) {
      auto call = LLVM::CallIntrinsicOp::create(
          rewriter, loc, op.getType(), rewriter.getStringAttr(intrinsic),
          op->getOperands());
      rewriter.replaceOp(op, call->getResults());
      return success();
    }
    Value lhs = op.getLhs(), rhs = op.getRhs();
    Value extreme = Target::create(rewriter, loc, op.getType(), lhs, rhs);
    Value unlessRhs = arith::SelectOp::create(
        rewriter, loc, isNan(rewriter, loc, rhs), lhs, extreme);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNan(rewriter, loc, lhs),
                                                 rhs, unlessRhs);
    return success();
  }
};

struct CpuOrderZeros : triton_shared::impl::CpuOrderZerosBase<CpuOrderZeros> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ReplaceComputed<arith::MaximumFOp, LLVM::MaximumOp>,
                 ReplaceComputed<arith::MinimumFOp, LLVM::MinimumOp>,
                 LowerYielding<arith::MaxNumFOp, LLVM::MaximumOp>,
                 LowerYielding<arith::MinNumFOp, LLVM::MinimumOp>>(
        &getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
