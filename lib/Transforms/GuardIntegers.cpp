//===- GuardIntegers.cpp - Integers that are defined everywhere -----------===//
//
// LLVM takes it that no program divides by zero or shifts by the width or more,
// and makes anything of one that does. What NVIDIA GPUs give there is spelled
// out: for a CPU, which would trap, and for a GPU, whose code goes through
// LLVM.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Transforms/GuardIntegers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_GUARDINTEGERS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// `value` as a scalar or in each lane of a vector.
Value createConstant(OpBuilder &builder, Location loc, Type type,
                     int64_t value) {
  TypedAttr number = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    number = DenseElementsAttr::get(vector, Attribute(number));
  return arith::ConstantOp::create(builder, loc, number);
}

template <typename Division> struct GuardDivision : OpRewritePattern<Division> {
  using OpRewritePattern<Division>::OpRewritePattern;

  static constexpr bool isSigned = std::is_same_v<Division, arith::DivSIOp> ||
                                   std::is_same_v<Division, arith::RemSIOp>;
  static constexpr bool isRemainder =
      std::is_same_v<Division, arith::RemSIOp> ||
      std::is_same_v<Division, arith::RemUIOp>;

  LogicalResult matchAndRewrite(Division op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    APInt divisor;
    if (!getElementTypeOrSelf(type).isIntOrIndex() ||
        (matchPattern(op.getRhs(), m_ConstantInt(&divisor)) &&
         !divisor.isZero() && !(isSigned && divisor.isAllOnes())))
      return rewriter.notifyMatchFailure(op, "cannot trap");
    bool isOnGpu =
        static_cast<bool>(op->template getParentOfType<gpu::GPUModuleOp>());
    if (isOnGpu && op->hasAttr(tts::kSizeAsDivisor))
      return rewriter.notifyMatchFailure(op,
                                         "divides by a size that is checked");
    Location loc = op.getLoc();
    Value lhs = op.getLhs(), rhs = op.getRhs();
    auto constant = [&](int64_t value) {
      return createConstant(rewriter, loc, type, value);
    };
    auto equals = [&](Value value) -> Value {
      return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, rhs,
                                   value);
    };
    Value zero = constant(0), allOnes = constant(-1);
    Value byZero = equals(zero);
    Value traps = byZero, byMinusOne;
    // A GPU does not trap: its quotient by -1 wraps around.
    bool mayTrap = isSigned && !isOnGpu;
    if (mayTrap) {
      byMinusOne = equals(allOnes);
      traps = arith::OrIOp::create(rewriter, loc, byZero, byMinusOne);
    }
    Value safe =
        arith::SelectOp::create(rewriter, loc, traps, constant(1), rhs);
    Value result = Division::create(rewriter, loc, lhs, safe);
    if (mayTrap && !isRemainder) {
      Value negated = arith::SubIOp::create(rewriter, loc, zero, lhs);
      result =
          arith::SelectOp::create(rewriter, loc, byMinusOne, negated, result);
    }
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, byZero, isRemainder ? lhs : allOnes, result);
    return success();
  }
};

/// A shift by the width or more leaves zero, or the sign alone.
template <typename Shift> struct GuardShift : OpRewritePattern<Shift> {
  using OpRewritePattern<Shift>::OpRewritePattern;

  LogicalResult matchAndRewrite(Shift op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
    APInt amount;
    if (!integer || (matchPattern(op.getRhs(), m_ConstantInt(&amount)) &&
                     amount.ult(integer.getWidth())))
      return rewriter.notifyMatchFailure(op, "cannot leave the width");
    Location loc = op.getLoc();
    auto constant = [&](int64_t value) {
      return createConstant(rewriter, loc, type, value);
    };
    // The last place of an i1 is 0, that of an i8 7: both fit the type.
    Value last = constant(integer.getWidth() - 1);
    if (std::is_same_v<Shift, arith::ShRSIOp>) {
      Value within = arith::MinUIOp::create(rewriter, loc, op.getRhs(), last);
      rewriter.replaceOpWithNewOp<Shift>(op, op.getLhs(), within);
      return success();
    }
    // CPUs and GPUs shift so themselves, and LLVM knows where: it is enough not
    // to choose what is undefined.
    Value leaves = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ugt, op.getRhs(), last);
    Value shifted = Shift::create(rewriter, loc, op.getLhs(), op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, leaves, constant(0),
                                                 shifted);
    return success();
  }
};

struct GuardIntegers : triton_shared::impl::GuardIntegersBase<GuardIntegers> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<GuardDivision<arith::DivSIOp>, GuardDivision<arith::DivUIOp>,
                 GuardDivision<arith::RemSIOp>, GuardDivision<arith::RemUIOp>,
                 GuardShift<arith::ShLIOp>, GuardShift<arith::ShRSIOp>,
                 GuardShift<arith::ShRUIOp>>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
