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

/// Collects the patterns, each for the formats it is right for.
class Expansions {
public:
  Expansions(RewritePatternSet &patterns, bool hasScale)
      : patterns(patterns), hasScale(hasScale) {}

  void addFunctionsOfBoth() {
    constexpr Formats both = Formats::Both;
    add<ExpandUnary<math::ErfOp>>(expandErf, both);
    add<ExpandUnary<math::ExpOp>>(expandExp, both);
    add<ExpandUnary<math::Exp2Op>>(expandExp2, both);
    add<ExpandUnary<math::ExpM1Op>>(expandExpM1, both);
    add<ExpandUnary<math::LogOp>>(expandLog, both);
    add<ExpandUnary<math::Log1pOp>>(expandLog1p, both);
    add<ExpandUnary<math::Log2Op>>(expandLog2, both);
    add<ExpandUnary<math::TanhOp>>(expandTanh, both);
  }

  void addFunctionsOfF32() {
    constexpr Formats f32 = Formats::F32;
    add<ExpandUnary<math::AcosOp>>(expandAcos, f32);
    add<ExpandUnary<math::AcoshOp>>(expandAcosh, f32);
    add<ExpandUnary<math::AsinOp>>(expandAsin, f32);
    add<ExpandUnary<math::AsinhOp>>(expandAsinh, f32);
    add<ExpandUnary<math::AtanOp>>(expandAtan, f32);
    add<ExpandBinary<math::Atan2Op>>(expandAtan2, f32);
    add<ExpandUnary<math::AtanhOp>>(expandAtanh, f32);
    add<ExpandUnary<math::CbrtOp>>(expandCbrt, f32);
    add<ExpandUnary<math::CosOp>>(expandCos, f32);
    add<ExpandUnary<math::CoshOp>>(expandCosh, f32);
    add<ExpandUnary<math::ErfcOp>>(expandErfc, f32);
    add<ExpandUnary<math::Log10Op>>(expandLog10, f32);
    add<ExpandBinary<math::PowFOp>>(expandPow, f32);
    add<ExpandUnary<math::SinOp>>(expandSin, f32);
    add<ExpandUnary<math::SinhOp>>(expandSinh, f32);
    add<ExpandUnary<math::TanOp>>(expandTan, f32);
  }

private:
  template <typename Pattern, typename Expand>
  void add(Expand expand, Formats formats) {
    patterns.add<Pattern>(patterns.getContext(), expand, formats, hasScale);
  }

  RewritePatternSet &patterns;
  bool hasScale;
};

} // namespace

void triton_shared::populateCpuExpandMath(RewritePatternSet &patterns,
                                          bool hasScale) {
  Expansions expansions(patterns, hasScale);
  expansions.addFunctionsOfBoth();
  expansions.addFunctionsOfF32();
}

namespace {

struct CpuExpandMath : triton_shared::impl::CpuExpandMathBase<CpuExpandMath> {
  using CpuExpandMathBase::CpuExpandMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateCpuExpandMath(patterns, hasScale);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
