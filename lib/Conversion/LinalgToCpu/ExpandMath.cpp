//===- ExpandMath.cpp - Functions as polynomials --------------------------===//
//
// What the C library computes one number at a time, by arithmetic that works on
// vectors as well. Errors are measured by python/test/test_cases_fast_math.py.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "triton-shared/Conversion/LinalgToCpu.h"

namespace mlir::triton_shared {
#define GEN_PASS_DECL_CPUEXPANDMATH
#define GEN_PASS_DEF_CPUEXPANDMATH
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The formats that a function is expanded of.
enum class Formats { F32, Both };

template <typename... Values> struct ExpandFunctionOf {
  using Expand = Value (*)(Floats &, Values...);

  template <typename Function> struct Pattern : OpRewritePattern<Function> {
    Pattern(MLIRContext *context, Expand expand, Formats formats, bool hasScale)
        : OpRewritePattern<Function>(context), expand(expand), formats(formats),
          hasScale(hasScale) {}

    LogicalResult matchAndRewrite(Function op,
                                  PatternRewriter &rewriter) const override {
      Type type = op.getType();
      if (!type.isF32() && !(type.isF64() && formats == Formats::Both))
        return rewriter.notifyMatchFailure(op, "not of this format");
      Floats floats(rewriter, op.getLoc(), type, hasScale);
      Value result;
      if constexpr (sizeof...(Values) == 1)
        result = expand(floats, op->getOperand(0));
      else
        result = expand(floats, op->getOperand(0), op->getOperand(1));
      rewriter.replaceOp(op, result);
      return success();
    }

  private:
    Expand expand;
    Formats formats;
    bool hasScale;
  };
};

template <typename Function>
using ExpandUnary = ExpandFunctionOf<Value>::Pattern<Function>;
template <typename Function>
using ExpandBinary = ExpandFunctionOf<Value, Value>::Pattern<Function>;

struct CpuExpandMath : triton_shared::impl::CpuExpandMathBase<CpuExpandMath> {
  using CpuExpandMathBase::CpuExpandMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    addFunctionsOfBoth(patterns);
    addFunctionsOfF32(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

private:
  template <typename Pattern, typename Expand>
  void add(RewritePatternSet &patterns, Expand expand, Formats formats) {
    patterns.add<Pattern>(&getContext(), expand, formats, hasScale);
  }

  void addFunctionsOfBoth(RewritePatternSet &patterns) {
    constexpr Formats both = Formats::Both;
    add<ExpandUnary<math::ErfOp>>(patterns, expandErf, both);
    add<ExpandUnary<math::ExpOp>>(patterns, expandExp, both);
    add<ExpandUnary<math::Exp2Op>>(patterns, expandExp2, both);
    add<ExpandUnary<math::ExpM1Op>>(patterns, expandExpM1, both);
    add<ExpandUnary<math::LogOp>>(patterns, expandLog, both);
    add<ExpandUnary<math::Log1pOp>>(patterns, expandLog1p, both);
    add<ExpandUnary<math::Log2Op>>(patterns, expandLog2, both);
    add<ExpandUnary<math::TanhOp>>(patterns, expandTanh, both);
  }

  void addFunctionsOfF32(RewritePatternSet &patterns) {
    constexpr Formats f32 = Formats::F32;
    add<ExpandUnary<math::AcosOp>>(patterns, expandAcos, f32);
    add<ExpandUnary<math::AcoshOp>>(patterns, expandAcosh, f32);
    add<ExpandUnary<math::AsinOp>>(patterns, expandAsin, f32);
    add<ExpandUnary<math::AsinhOp>>(patterns, expandAsinh, f32);
    add<ExpandUnary<math::AtanOp>>(patterns, expandAtan, f32);
    add<ExpandBinary<math::Atan2Op>>(patterns, expandAtan2, f32);
    add<ExpandUnary<math::AtanhOp>>(patterns, expandAtanh, f32);
    add<ExpandUnary<math::CbrtOp>>(patterns, expandCbrt, f32);
    add<ExpandUnary<math::CosOp>>(patterns, expandCos, f32);
    add<ExpandUnary<math::CoshOp>>(patterns, expandCosh, f32);
    add<ExpandUnary<math::ErfcOp>>(patterns, expandErfc, f32);
    add<ExpandUnary<math::Log10Op>>(patterns, expandLog10, f32);
    add<ExpandBinary<math::PowFOp>>(patterns, expandPow, f32);
    add<ExpandUnary<math::SinOp>>(patterns, expandSin, f32);
    add<ExpandUnary<math::SinhOp>>(patterns, expandSinh, f32);
    add<ExpandUnary<math::TanOp>>(patterns, expandTan, f32);
  }
};

} // namespace
