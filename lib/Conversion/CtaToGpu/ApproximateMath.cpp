//===- ApproximateMath.cpp - Functions that the GPU has instructions for --===//
//
// Triton's own back end takes these instructions unless a kernel asks for more:
// they are right to about two units in the last place. Powers take numbers and
// give results below the smallest normal one as zero: to scale them first and
// last would be two more multiplications and a comparison for each.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "triton-shared/Conversion/LinalgToGpu.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

#include <cmath>

namespace mlir::triton_shared {
#define GEN_PASS_DEF_GPUAPPROXIMATEMATH
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr llvm::StringLiteral kPowerOfTwo = "llvm.nvvm.ex2.approx.ftz";

struct ApproximateDivision : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        op->hasAttr(tts::kIsPrecise))
      return rewriter.notifyMatchFailure(op, "is to be right to the last bit");
    rewriter.replaceOp(op,
                       applyIntrinsic(rewriter, op.getLoc(),
                                      "llvm.nvvm.div.full", op->getOperands()));
    return success();
  }
};

struct ApproximateExp2 : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "is no f32");
    rewriter.replaceOp(op, applyIntrinsic(rewriter, op.getLoc(), kPowerOfTwo,
                                          op->getOperands()));
    return success();
  }
};

/// e^x is 2^(x log2(e)).
struct ApproximateExp : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32() || op->hasAttr(tts::kIsPrecise))
      return rewriter.notifyMatchFailure(op, "is to be as exact as libdevice");
    Value scale = createScalarOrSplatConstant(rewriter, op.getLoc(), type,
                                              APFloat(float(M_LOG2E)));
    Value scaled =
        arith::MulFOp::create(rewriter, op.getLoc(), op.getOperand(), scale);
    rewriter.replaceOp(
        op, applyIntrinsic(rewriter, op.getLoc(), kPowerOfTwo, scaled));
    return success();
  }
};

/// Square roots are made exact before.
struct ApproximateSquareRoot : OpRewritePattern<LLVM::CallIntrinsicOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LLVM::CallIntrinsicOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getIntrin() != kExactRootF32 || op->hasAttr(tts::kIsPrecise))
      return rewriter.notifyMatchFailure(op, "is to be right to the last bit");
    rewriter.replaceOp(op,
                       applyIntrinsic(rewriter, op.getLoc(),
                                      "llvm.nvvm.sqrt.approx.f", op.getArgs()));
    return success();
  }
};

struct GpuApproximateMath
    : triton_shared::impl::GpuApproximateMathBase<GpuApproximateMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ApproximateDivision, ApproximateExp, ApproximateExp2,
                 ApproximateSquareRoot>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
