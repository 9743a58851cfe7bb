//===- ApproximateMath.cpp - Functions that the GPU has instructions for --===//
//
// Triton's own back end takes these instructions unless a kernel asks for more:
// they are right to about two units in the last place. Powers take numbers and
// give results below the smallest normal one as zero: to scale them first and
// last would be two more multiplications and a comparison for each.
//
// What PTX in a kernel asks for as an approximation is that instruction. PTX
// that flushes says so of operands and result: those steps are the
// instruction's own then.
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
#include "triton-shared/Transforms/InlinePtx.h"

#include <cmath>

namespace mlir::triton_shared {
#define GEN_PASS_DEF_GPUAPPROXIMATEMATH
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr llvm::StringLiteral kPowerOfTwo = "llvm.nvvm.ex2.approx.ftz";

/// What `value` is but for numbers below the smallest normal one, which it has
/// as zeros of their sign; null if it is no such value.
Value findUnflushed(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select || !getElementTypeOrSelf(value.getType()).isF32())
    return nullptr;
  Value number = select.getFalseValue();
  auto isTiny = select.getCondition().getDefiningOp<arith::CmpFOp>();
  auto zero = select.getTrueValue().getDefiningOp<math::CopySignOp>();
  if (!isTiny || isTiny.getPredicate() != arith::CmpFPredicate::OLT || !zero)
    return nullptr;
  auto size = isTiny.getLhs().getDefiningOp<math::AbsFOp>();
  APFloat least(0.0f);
  bool isFlush = size && size.getOperand() == number &&
                 zero.getRhs() == number &&
                 matchPattern(zero.getLhs(), m_PosZeroFloat()) &&
                 matchPattern(isTiny.getRhs(), m_ConstantFloat(&least)) &&
                 least.isSmallestNormalized() && !least.isNegative();
  return isFlush ? number : nullptr;
}

bool isApproximate(Operation *op) { return op->hasAttr(tts::kIsApproximate); }

/// True if all numbers that `op` takes are flushed, but for those that it says.
bool takesFlushed(Operation *op) {
  return llvm::all_of(op->getOperands(), [](Value operand) {
    return findUnflushed(operand) || matchPattern(operand, m_OneFloat());
  });
}

SmallVector<Value> findUnflushed(ValueRange operands) {
  return llvm::map_to_vector(operands, [](Value operand) {
    Value number = findUnflushed(operand);
    return number ? number : operand;
  });
}

/// What the instruction flushes itself.
struct SkipFlush : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    Value number = findUnflushed(op.getResult());
    Operation *made = number ? number.getDefiningOp() : nullptr;
    if (!made || !(isa<math::Exp2Op>(made) ||
                   (isApproximate(made) && takesFlushed(made))))
      return rewriter.notifyMatchFailure(op, "flushes other numbers");
    rewriter.replaceOp(op, number);
    return success();
  }
};

/// `instruction`, for which LLVM has no name, on each register.
Value applyPtx(OpBuilder &builder, Location loc, StringRef instruction,
               Value operand) {
  auto apply = [&](Value number) {
    return createPtx(builder, loc, number.getType(), number,
                     (instruction + " $0, $1;").str(), "=f,f", PtxEffects::None)
        .front();
  };
  if (!isa<VectorType>(operand.getType()))
    return apply(operand);
  SmallVector<Value> results =
      llvm::map_to_vector(unpackRegisters(builder, loc, operand), apply);
  return packRegisters(builder, loc, results);
}

/// `function` of what `op` takes but for the first `leftOut`, by the
/// instruction that flushes if those are flushed.
Value applyApproximate(OpBuilder &builder, Operation *op, StringRef function,
                       unsigned leftOut = 0) {
  bool flushes = takesFlushed(op);
  SmallVector<Value> operands = op->getOperands();
  if (flushes)
    operands = findUnflushed(operands);
  std::string name =
      ("llvm.nvvm." + function + ".approx." + (flushes ? "ftz.f" : "f")).str();
  return applyIntrinsic(builder, op->getLoc(), name,
                        ArrayRef(operands).drop_front(leftOut));
}

struct ApproximateDivision : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        op->hasAttr(tts::kIsPrecise))
      return rewriter.notifyMatchFailure(op, "is to be right to the last bit");
    rewriter.replaceOp(op, divide(rewriter, op));
    return success();
  }

private:
  static Value divide(OpBuilder &builder, arith::DivFOp op) {
    if (!isApproximate(op))
      return applyIntrinsic(builder, op.getLoc(), "llvm.nvvm.div.full",
                            op->getOperands());
    if (!matchPattern(op.getLhs(), m_OneFloat()))
      return applyApproximate(builder, op, "div");
    if (takesFlushed(op))
      return applyApproximate(builder, op, "rcp", /*leftOut=*/1);
    return applyPtx(builder, op.getLoc(), "rcp.approx.f32", op.getRhs());
  }
};

/// A function that PTX has asked for by its instruction.
template <typename OpTy> struct ApproximateFunction : OpRewritePattern<OpTy> {
  ApproximateFunction(MLIRContext *context, StringRef function)
      : OpRewritePattern<OpTy>(context), function(function) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isApproximate(op))
      return rewriter.notifyMatchFailure(op, "is as exact as libdevice");
    rewriter.replaceOp(op, applyApproximate(rewriter, op, function));
    return success();
  }

private:
  StringRef function;
};

struct ApproximateExp2 : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "is no f32");
    rewriter.replaceOp(op, applyIntrinsic(rewriter, op.getLoc(), kPowerOfTwo,
                                          findUnflushed(op->getOperands())));
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

/// Roots that kernels ask for are made exact before.
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

struct ApproximateTanh : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    if (!isApproximate(op))
      return rewriter.notifyMatchFailure(op, "is as exact as libdevice");
    rewriter.replaceOp(op, applyPtx(rewriter, op.getLoc(), "tanh.approx.f32",
                                    op.getOperand()));
    return success();
  }
};

struct GpuApproximateMath
    : triton_shared::impl::GpuApproximateMathBase<GpuApproximateMath> {
  void runOnOperation() override {
    RewritePatternSet flushes(&getContext());
    flushes.add<SkipFlush>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(flushes));
    RewritePatternSet patterns(&getContext());
    patterns.add<ApproximateFunction<math::Log2Op>>(&getContext(), "lg2");
    patterns.add<ApproximateFunction<math::SinOp>>(&getContext(), "sin");
    patterns.add<ApproximateFunction<math::CosOp>>(&getContext(), "cos");
    patterns.add<ApproximateFunction<math::RsqrtOp>>(&getContext(), "rsqrt");
    patterns.add<ApproximateFunction<math::SqrtOp>>(&getContext(), "sqrt");
    patterns.add<ApproximateDivision, ApproximateExp, ApproximateExp2,
                 ApproximateSquareRoot, ApproximateTanh>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
