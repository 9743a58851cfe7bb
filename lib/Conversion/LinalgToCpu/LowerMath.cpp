//===- LowerMath.cpp - Functions of the CPU and of the C library ----------===//
//
// Operations whose result IEEE 754 fixes become LLVM's intrinsics, which are
// instructions where the CPU has them; all others call the C library.
//
//===----------------------------------------------------------------------===//

#include "CpuFloats.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "triton-shared/Conversion/LinalgToCpu.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPULOWERMATH
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The C library has no reciprocal square root.
struct LowerRsqrt : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isComputedByCpu(type))
      return rewriter.notifyMatchFailure(op, "not f32 or f64");
    auto format = cast<FloatType>(getElementTypeOrSelf(type));
    Value one = createScalarOrSplatConstant(
        rewriter, op.getLoc(), type,
        APFloat::getOne(format.getFloatSemantics()));
    Value root = math::SqrtOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, one, root);
    return success();
  }
};

struct CpuLowerMath : triton_shared::impl::CpuLowerMathBase<CpuLowerMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns, /*benefit=*/1);
    patterns.add<ReplaceComputed<math::AbsFOp, LLVM::FAbsOp>,
                 ReplaceComputed<math::CeilOp, LLVM::FCeilOp>,
                 ReplaceComputed<math::CopySignOp, LLVM::CopySignOp>,
                 ReplaceComputed<math::FloorOp, LLVM::FFloorOp>,
                 ReplaceComputed<math::FmaOp, LLVM::FMAOp>,
                 ReplaceComputed<math::RoundEvenOp, LLVM::RoundEvenOp>,
                 ReplaceComputed<math::RoundOp, LLVM::RoundOp>,
                 ReplaceComputed<math::SqrtOp, LLVM::SqrtOp>,
                 ReplaceComputed<math::TruncOp, LLVM::FTruncOp>, LowerRsqrt>(
        &getContext(), /*benefit=*/2);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns),
                                  GreedyRewriteConfig().enableFolding(false))))
      signalPassFailure();
  }
};

} // namespace
