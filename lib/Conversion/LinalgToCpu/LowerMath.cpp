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

template <typename Source, typename Target>
struct LowerExact : OpRewritePattern<Source> {
  using OpRewritePattern<Source>::OpRewritePattern;

  LogicalResult matchAndRewrite(Source op,
                                PatternRewriter &rewriter) const override {
    if (!isComputedByCpu(op.getType()))
      return rewriter.notifyMatchFailure(op, "not f32 or f64");
    rewriter.replaceOpWithNewOp<Target>(op, op.getType(), op->getOperands());
    return success();
  }
};

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
    patterns.add<LowerExact<math::AbsFOp, LLVM::FAbsOp>,
                 LowerExact<math::CeilOp, LLVM::FCeilOp>,
                 LowerExact<math::CopySignOp, LLVM::CopySignOp>,
                 LowerExact<math::FloorOp, LLVM::FFloorOp>,
                 LowerExact<math::FmaOp, LLVM::FMAOp>,
                 LowerExact<math::RoundEvenOp, LLVM::RoundEvenOp>,
                 LowerExact<math::RoundOp, LLVM::RoundOp>,
                 LowerExact<math::SqrtOp, LLVM::SqrtOp>,
                 LowerExact<math::TruncOp, LLVM::FTruncOp>, LowerRsqrt>(
        &getContext(), /*benefit=*/2);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns),
                                  GreedyRewriteConfig().enableFolding(false))))
      signalPassFailure();
  }
};

} // namespace
