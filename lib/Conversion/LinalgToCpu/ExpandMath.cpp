//===- ExpandMath.cpp - Functions of f32 as polynomials -------------------===//
//
// What the C library computes one number at a time, by arithmetic that works on
// vectors as well. Errors are measured by python/test/test_cases_fast_math.py.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "triton-shared/Conversion/LinalgToCpu.h"

#include <limits>

namespace mlir::triton_shared {
#define GEN_PASS_DECL_CPUEXPANDMATH
#define GEN_PASS_DEF_CPUEXPANDMATH
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Arithmetic on f32 and its bits.
class Floats {
public:
  Floats(OpBuilder &builder, Location loc, bool hasScale)
      : b(loc, builder), hasScale(hasScale) {}

  Value number(float value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  Value integer(int32_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  Value add(Value lhs, Value rhs) { return arith::AddFOp::create(b, lhs, rhs); }
  Value sub(Value lhs, Value rhs) { return arith::SubFOp::create(b, lhs, rhs); }
  Value mul(Value lhs, Value rhs) { return arith::MulFOp::create(b, lhs, rhs); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value bits(Value value) {
    return arith::BitcastOp::create(b, b.getI32Type(), value);
  }
  Value fromBits(Value value) {
    return arith::BitcastOp::create(b, b.getF32Type(), value);
  }

  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no);
  }
  Value isLess(Value lhs, Value rhs) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, lhs, rhs);
  }
  Value isEqual(Value lhs, Value rhs) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, lhs, rhs);
  }

  /// `value` between `low` and `high`; NaN stays.
  Value clamp(Value value, float low, float high) {
    auto limit = [&](arith::CmpFPredicate beyond, float bound) {
      Value edge = number(bound);
      Value isBeyond = arith::CmpFOp::create(b, beyond, value, edge);
      value = arith::SelectOp::create(b, isBeyond, edge, value);
    };
    limit(arith::CmpFPredicate::OLT, low);
    limit(arith::CmpFPredicate::OGT, high);
    return value;
  }

  /// The polynomial with these coefficients, the one of the highest power
  /// first.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value sum = number(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      sum = fma(sum, x, number(coefficient));
    return sum;
  }

  /// `value * 2^exponent` for exponents from -252 to 254, in two steps: the
  /// power of two alone may be no number. Only the second step may round, so
  /// the result is that of the CPU's own operation.
  Value scale(Value value, Value exponent) {
    if (hasScale) {
      // The operation of the LLVM dialect takes no vectors.
      auto call = LLVM::CallIntrinsicOp::create(b, value.getType(),
                                                b.getStringAttr("llvm.ldexp"),
                                                ValueRange{value, exponent});
      return call.getResult(0);
    }
    Value half = arith::ShRSIOp::create(b, exponent, integer(1));
    Value rest = arith::SubIOp::create(b, exponent, half);
    return mul(mul(value, powerOfTwo(half)), powerOfTwo(rest));
  }

  ImplicitLocOpBuilder b;

private:
  bool hasScale;

  Value powerOfTwo(Value exponent) {
    Value biased = arith::AddIOp::create(b, exponent, integer(127));
    return fromBits(arith::ShLIOp::create(b, biased, integer(23)));
  }
};

/// Added to a float below 2^22, it leaves the nearest integer in the low bits.
constexpr float kRounder = 0x1.8p23f;

/// An integer as a float and as an integer.
struct Rounded {
  Value number, integer;
};

/// `x * factor` to the nearest integer.
Rounded roundProduct(Floats &f, Value x, float factor) {
  Value rounder = f.number(kRounder);
  Value sum = f.fma(x, f.number(factor), rounder);
  Value integer = arith::SubIOp::create(f.b, f.bits(sum), f.bits(rounder));
  return {f.sub(sum, rounder), integer};
}

/// e^x = 2^n e^r with r = x - n ln 2, where ln 2 is the sum of two floats.
Value expandExp(Floats &f, Value x) {
  x = f.clamp(x, -104.0f, 89.0f);
  Rounded n = roundProduct(f, x, 0x1.715476p+0f);
  Value r = f.fma(n.number, f.number(-0x1.62e400p-1f), x);
  r = f.fma(n.number, f.number(-0x1.7f7d1cp-20f), r);
  Value tail = f.polynomial(r, {0x1.6850e4p-10f, 0x1.123bccp-7f, 0x1.555b98p-5f,
                                0x1.55548ep-3f, 0x1.fffff8p-2f});
  Value power = f.add(f.fma(tail, f.mul(r, r), r), f.number(1.0f));
  return f.scale(power, n.integer);
}

/// 2^x = 2^n e^(r ln 2) with r = x - n, which is exact.
Value expandExp2(Floats &f, Value x) {
  x = f.clamp(x, -151.0f, 129.0f);
  Rounded n = roundProduct(f, x, 1.0f);
  Value r = f.sub(x, n.number);
  Value power = f.polynomial(r, {0x1.41fbbap-13f, 0x1.5f3e54p-10f,
                                 0x1.3b2d4cp-7f, 0x1.c6aee8p-5f, 0x1.ebfbdcp-3f,
                                 0x1.62e430p-1f, 0x1.0p+0f});
  return f.scale(power, n.integer);
}

/// A positive float as `2^exponent * (1 + fraction)`, with a fraction between
/// sqrt(1/2) - 1 and sqrt(2) - 1. Subnormal numbers are brought up first.
struct Decomposed {
  Value exponent, fraction;
};

Decomposed decompose(Floats &f, Value x) {
  Value isSubnormal = f.isLess(x, f.number(0x1.0p-126f));
  Value raised = f.select(isSubnormal, f.mul(x, f.number(0x1.0p+23f)), x);
  Value bits = f.bits(raised);
  // The bits of sqrt(1/2): the difference is negative below it.
  Value distance = arith::SubIOp::create(f.b, bits, f.integer(0x3f3504f3));
  Value exponent = arith::ShRSIOp::create(f.b, distance, f.integer(23));
  Value power = arith::ShLIOp::create(f.b, exponent, f.integer(23));
  Value mantissa = f.fromBits(arith::SubIOp::create(f.b, bits, power));
  Value lowered = arith::SubIOp::create(f.b, exponent, f.integer(23));
  exponent = f.select(isSubnormal, lowered, exponent);
  Value number = arith::SIToFPOp::create(f.b, f.b.getF32Type(), exponent);
  return {number, f.sub(mantissa, f.number(1.0f))};
}

/// `(ln(1 + x) - x + x^2 / 2)` for a fraction as above.
Value logTail(Floats &f, Value x, Value square) {
  Value sum =
      f.polynomial(x, {0x1.14573ep-4f, -0x1.de3bf8p-4f, 0x1.e6f08cp-4f,
                       -0x1.fc220ep-4f, 0x1.233766p-3f, -0x1.555c4ep-3f,
                       0x1.99a4b6p-3f, -0x1.000006p-2f, 0x1.555548p-2f});
  return f.mul(f.mul(sum, x), square);
}

/// `result`, or what a logarithm is where `x` is infinite, zero or no positive
/// number.
Value limitLog(Floats &f, Value x, Value result) {
  Value zero = f.number(0.0f);
  Value infinity = f.number(std::numeric_limits<float>::infinity());
  Value nan = f.number(std::numeric_limits<float>::quiet_NaN());
  result = f.select(f.isEqual(x, infinity), infinity, result);
  result = f.select(f.isEqual(x, zero),
                    f.number(-std::numeric_limits<float>::infinity()), result);
  Value isBad = arith::CmpFOp::create(f.b, arith::CmpFPredicate::ULT, x, zero);
  return f.select(isBad, nan, result);
}

/// ln x = e ln 2 + ln(1 + y), where ln 2 is the sum of two floats.
Value expandLog(Floats &f, Value x) {
  auto [exponent, fraction] = decompose(f, x);
  Value square = f.mul(fraction, fraction);
  Value low =
      f.fma(exponent, f.number(-0x1.bd0106p-13f), logTail(f, fraction, square));
  low = f.fma(square, f.number(-0.5f), low);
  Value sum = f.add(fraction, low);
  return limitLog(f, x, f.fma(exponent, f.number(0x1.63p-1f), sum));
}

/// log2 x = e + log2(1 + y), and log2 e = 1 + a float.
Value expandLog2(Floats &f, Value x) {
  auto [exponent, fraction] = decompose(f, x);
  Value square = f.mul(fraction, fraction);
  Value low = f.fma(square, f.number(-0.5f), logTail(f, fraction, square));
  Value factor = f.number(0x1.c551d94ae0bf8p-2f);
  Value sum = f.fma(low, factor, f.mul(fraction, factor));
  sum = f.add(f.add(sum, low), fraction);
  return limitLog(f, x, f.add(sum, exponent));
}

/// A polynomial near zero, 1 - 2 / (e^2x + 1) elsewhere.
Value expandTanh(Floats &f, Value x) {
  Value magnitude = math::AbsFOp::create(f.b, x);
  Value square = f.mul(x, x);
  Value sum =
      f.polynomial(square, {-0x1.76abf6p-8f, 0x1.5256cep-6f, -0x1.b84448p-5f,
                            0x1.110768p-3f, -0x1.555534p-2f});
  Value near = f.fma(f.mul(sum, square), magnitude, magnitude);
  // Beyond 10, tanh is 1.
  Value limited = f.clamp(magnitude, 0.0f, 10.0f);
  Value power = expandExp(f, f.add(limited, limited));
  Value part =
      arith::DivFOp::create(f.b, f.number(2.0f), f.add(power, f.number(1.0f)));
  Value far = f.sub(f.number(1.0f), part);
  Value isNear = f.isLess(magnitude, f.number(0.625f));
  Value result = f.select(isNear, near, far);
  return math::CopySignOp::create(f.b, result, x);
}

/// A polynomial near zero, 1 - e^p(x) elsewhere.
Value expandErf(Floats &f, Value x) {
  Value magnitude = math::AbsFOp::create(f.b, x);
  Value sum = f.polynomial(f.mul(x, x),
                           {0x1.5e062cp-14f, -0x1.aaa2d6p-11f, 0x1.54d42ap-8f,
                            -0x1.b80ff2p-6f, 0x1.ce2e1cp-4f, -0x1.812744p-2f,
                            0x1.06eba8p-3f});
  Value near = f.fma(sum, magnitude, magnitude);
  // Beyond 4, erf is 1.
  Value limited = f.clamp(magnitude, 0.0f, 4.0f);
  Value exponent =
      f.polynomial(limited, {0x1.170364p-20f, -0x1.182674p-16f, 0x1.8f11fcp-14f,
                             -0x1.b515cap-16f, -0x1.8c9f50p-9f, 0x1.7d2bbep-6f,
                             -0x1.b37ea6p-4f, -0x1.44f088p-1f, -0x1.21078ap+0f,
                             0x1.863ce2p-14f});
  Value far = f.sub(f.number(1.0f), expandExp(f, exponent));
  Value isNear = f.isLess(magnitude, f.number(0.925f));
  Value result = f.select(isNear, near, far);
  return math::CopySignOp::create(f.b, result, x);
}

template <typename Function, Value (*Expand)(Floats &, Value)>
struct ExpandFunction : OpRewritePattern<Function> {
  ExpandFunction(MLIRContext *context, bool hasScale)
      : OpRewritePattern<Function>(context), hasScale(hasScale) {}

  LogicalResult matchAndRewrite(Function op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    Floats floats(rewriter, op.getLoc(), hasScale);
    rewriter.replaceOp(op, Expand(floats, op.getOperand()));
    return success();
  }

private:
  bool hasScale;
};

struct CpuExpandMath : triton_shared::impl::CpuExpandMathBase<CpuExpandMath> {
  using CpuExpandMathBase::CpuExpandMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandFunction<math::ExpOp, expandExp>,
                 ExpandFunction<math::Exp2Op, expandExp2>,
                 ExpandFunction<math::LogOp, expandLog>,
                 ExpandFunction<math::Log2Op, expandLog2>,
                 ExpandFunction<math::TanhOp, expandTanh>,
                 ExpandFunction<math::ErfOp, expandErf>>(&getContext(),
                                                         hasScale);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
