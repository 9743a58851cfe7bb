//===- AffineTermsTest.cpp - The algebra against plain numbers ------------===//
//
// Every law of the normal form is tried on all places of a small block and on
// symbols of both signs.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Analysis/AffineTerms.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr int64_t sizes[] = {4, 6};
constexpr int64_t symbolValues[] = {-5, -1, 0, 1, 3, 8};

class AffineTermsTest : public ::testing::Test {
protected:
  static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> dims,
                          ArrayRef<int64_t> symbols) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return constant.getValue();
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return dims[dim.getPosition()];
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return symbols[symbol.getPosition()];
    auto binary = cast<AffineBinaryOpExpr>(expr);
    int64_t lhs = evaluate(binary.getLHS(), dims, symbols);
    int64_t rhs = evaluate(binary.getRHS(), dims, symbols);
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return lhs + rhs;
    case AffineExprKind::Mul:
      return lhs * rhs;
    case AffineExprKind::FloorDiv:
      return llvm::divideFloorSigned(lhs, rhs);
    case AffineExprKind::Mod:
      return llvm::mod(lhs, rhs);
    default:
      llvm_unreachable("not made by these tests");
    }
  }

  /// Calls `check(dims, symbols)` for all places and symbols.
  template <typename Function>
  void forAll(Function check, bool areSymbolsNonNegative = false) {
    for (int64_t i = 0; i < sizes[0]; ++i)
      for (int64_t j = 0; j < sizes[1]; ++j)
        for (int64_t s : symbolValues)
          for (int64_t t : symbolValues)
            if (!areSymbolsNonNegative || (s >= 0 && t >= 0))
              check(ArrayRef<int64_t>{i, j}, ArrayRef<int64_t>{s, t});
  }

  /// A sum of products without divisions.
  AffineExpr makeSum(unsigned depth) {
    auto pick = [&](int64_t low, int64_t high) {
      return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    if (depth == 0) {
      switch (pick(0, 3)) {
      case 0:
        return getAffineDimExpr(pick(0, 1), &context);
      case 1:
        return getAffineSymbolExpr(pick(0, 1), &context);
      default:
        return getAffineConstantExpr(pick(-9, 9), &context);
      }
    }
    AffineExpr lhs = makeSum(depth - 1);
    switch (pick(0, 3)) {
    case 0:
      return lhs * getAffineSymbolExpr(pick(0, 1), &context);
    case 1:
      return lhs * pick(-4, 12);
    default:
      return lhs + makeSum(depth - 1);
    }
  }

  IndexRange rangeOf(AffineExpr leaf, bool areSymbolsNonNegative = false) {
    if (auto dim = dyn_cast<AffineDimExpr>(leaf))
      return {0, sizes[dim.getPosition()] - 1};
    return {areSymbolsNonNegative ? 0 : -5, 8};
  }

  MLIRContext context;
  std::mt19937 random{17};
};

TEST_F(AffineTermsTest, NormalFormKeepsTheValue) {
  for (int round = 0; round < 300; ++round) {
    AffineExpr expr = makeSum(3);
    AffineExpr normal = normalize(expr);
    forAll([&](auto dims, auto symbols) {
      ASSERT_EQ(evaluate(expr, dims, symbols), evaluate(normal, dims, symbols));
    });
    EXPECT_EQ(normalize(normal), normal);
  }
}

TEST_F(AffineTermsTest, EqualSumsAreEqualExpressions) {
  for (int round = 0; round < 300; ++round) {
    AffineExpr lhs = makeSum(2), rhs = makeSum(2), factor = makeSum(1);
    EXPECT_EQ(normalize(lhs + rhs), normalize(rhs + lhs));
    EXPECT_EQ(normalize((lhs + rhs) * factor),
              normalize(lhs * factor + rhs * factor));
    EXPECT_EQ(subtract(lhs + rhs, rhs), normalize(lhs));
  }
}

TEST_F(AffineTermsTest, QuotientAndRemainderKeepTheValue) {
  for (int round = 0; round < 600; ++round) {
    AffineExpr expr = makeSum(3);
    int64_t divisors[] = {1, 2, 3, 4, 6, 8, 12, 24};
    int64_t number = divisors[round % 8];
    AffineExpr divisor = getAffineConstantExpr(number, &context);
    auto ranges = [&](AffineExpr leaf) { return rangeOf(leaf); };
    AffineExpr quotient = floorDivide(expr, divisor, ranges);
    AffineExpr rest = remainder(expr, divisor, ranges);
    AffineExpr nested = remainder(quotient, divisor, ranges);
    EXPECT_EQ(add(multiply(quotient, divisor), rest), normalize(expr));
    forAll([&](auto dims, auto symbols) {
      int64_t value = evaluate(expr, dims, symbols);
      int64_t floor = llvm::divideFloorSigned(value, number);
      ASSERT_EQ(evaluate(quotient, dims, symbols), floor);
      ASSERT_EQ(evaluate(rest, dims, symbols), llvm::mod(value, number));
      ASSERT_EQ(evaluate(nested, dims, symbols), llvm::mod(floor, number));
    });
  }
}

TEST_F(AffineTermsTest, DivisionByAScalarKeepsTheValue) {
  for (int round = 0; round < 300; ++round) {
    AffineExpr expr = makeSum(3);
    AffineExpr divisor = getAffineSymbolExpr(0, &context) * (round % 3 + 1);
    auto ranges = [&](AffineExpr leaf) { return rangeOf(leaf, true); };
    AffineExpr quotient = floorDivide(expr, divisor, ranges);
    AffineExpr rest = remainder(expr, divisor, ranges);
    forAll(
        [&](auto dims, auto symbols) {
          int64_t number = evaluate(divisor, dims, symbols);
          if (number <= 0)
            return;
          int64_t value = evaluate(expr, dims, symbols);
          ASSERT_EQ(evaluate(quotient, dims, symbols),
                    llvm::divideFloorSigned(value, number));
          ASSERT_EQ(evaluate(rest, dims, symbols), llvm::mod(value, number));
        },
        /*areSymbolsNonNegative=*/true);
  }
}

TEST_F(AffineTermsTest, RangesHoldAllValues) {
  for (int round = 0; round < 300; ++round) {
    AffineExpr sum = makeSum(3);
    AffineExpr expr = round % 3 == 0   ? sum
                      : round % 3 == 1 ? sum % 5
                                       : sum.floorDiv(7);
    IndexRange range =
        getRange(expr, [&](AffineExpr leaf) { return rangeOf(leaf); });
    forAll([&](auto dims, auto symbols) {
      int64_t value = evaluate(expr, dims, symbols);
      ASSERT_TRUE(range.low <= value && value <= range.high);
    });
  }
}

TEST_F(AffineTermsTest, SplitsAFlattenedIndex) {
  AffineExpr d0, d1, s0;
  bindDims(&context, d0, d1);
  bindSymbols(&context, s0);
  auto ranges = [&](AffineExpr leaf) { return rangeOf(leaf); };
  AffineExpr six = getAffineConstantExpr(6, &context);
  EXPECT_EQ(floorDivide(d0 * 6 + d1, six, ranges), d0);
  EXPECT_EQ(remainder(d0 * 6 + d1, six, ranges), d1);
  EXPECT_EQ(remainder((d0 + s0 * 4) * 6 + d1, six, ranges), d1);
  // A step that divides the divisor and exceeds the rest.
  AffineExpr twelve = getAffineConstantExpr(12, &context);
  EXPECT_EQ(remainder(s0 * 6 + d1, twelve, ranges),
            normalize((s0 % 2) * 6 + d1));
  EXPECT_EQ(floorDivide(s0 * 6 + d1, twelve, ranges), s0.floorDiv(2));
}

TEST_F(AffineTermsTest, CoefficientsBeyond64BitsHaveNoForm) {
  AffineExpr d0 = getAffineDimExpr(0, &context);
  AffineExpr huge = d0 * (int64_t(1) << 62);
  AffineExpr two = getAffineConstantExpr(2, &context);
  EXPECT_FALSE(multiply(huge, two));
  EXPECT_FALSE(add(huge, huge));
  EXPECT_EQ(subtract(huge, huge), getAffineConstantExpr(0, &context));
}

} // namespace
