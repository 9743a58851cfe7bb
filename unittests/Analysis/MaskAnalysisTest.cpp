//===- MaskAnalysisTest.cpp - Masks against what they let through ---------===//
//
// Bounds, conditions and the residual predicate together must be true exactly
// where the mask is, at every place, for scalars of both signs.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Analysis/MaskAnalysis.h"

#include "FormEvaluator.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

class MaskAnalysisTest : public ::testing::Test {
protected:
  /// The pattern of the last tensor of the kernel, after checking it.
  MaskPattern analyze(const std::string &lines) {
    module = parseKernel(context, block + lines);
    EXPECT_TRUE(module);
    Operation *function = &module->getBody()->front();
    Value mask =
        std::prev(function->getRegion(0).front().end(), 2)->getResult(0);
    forms = std::make_unique<AffineAnalysis>(function);
    MaskPattern pattern =
        MaskAnalysis(*forms).analyze(mask, getIndexShape(mask));
    for (int64_t programId : {0, 2})
      for (int64_t a : {-9, -1, 0, 1, 6})
        for (int64_t b : {-2, 3})
          for (int64_t n : {-1, 0, 1, 5, 40}) {
            Interpreter run(function, {1000, a, b, n}, programId);
            FormEvaluator evaluator(*forms, run);
            for (auto [i, expected] : llvm::enumerate(run.get(mask)))
              EXPECT_EQ(isTrue(pattern, i, getIndexShape(mask), evaluator, run),
                        expected != 0)
                  << lines << " at " << i << " for " << a << " " << b << " "
                  << n;
          }
    return pattern;
  }

  static bool holds(arith::CmpIPredicate predicate, int64_t number) {
    return arith::applyCmpPredicate(
        predicate, APInt(64, number, /*isSigned=*/true), APInt(64, 0));
  }

  static bool isTrue(const MaskPattern &pattern, int64_t position,
                     ArrayRef<int64_t> shape, const FormEvaluator &evaluator,
                     const Interpreter &run) {
    bool result = !pattern.isNever;
    for (auto [index, bounds] :
         llvm::zip_equal(getPlace(position, shape), pattern.dimensions)) {
      for (AffineExpr low : bounds.lows)
        result &= evaluator.evaluate(low) <= index;
      for (AffineExpr high : bounds.highs)
        result &= index < evaluator.evaluate(high);
    }
    for (const UniformComparison &comparison : pattern.comparisons)
      result &=
          holds(comparison.predicate, evaluator.evaluate(comparison.expr));
    for (const Predicate &scalar : pattern.scalars)
      result &= (run.get(scalar.value)[0] != 0) != scalar.isNegated;
    for (const ResidualMask &residual : pattern.residuals)
      result &= (run.get(residual.predicate.value)[position] != 0) !=
                residual.predicate.isNegated;
    return result;
  }

  static bool isBoundsOnly(const MaskPattern &pattern) {
    return pattern.comparisons.empty() && pattern.scalars.empty() &&
           pattern.residuals.empty() && !pattern.isNever;
  }

  const std::string block = R"(
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %j4 = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %pid = tt.get_program_id x : i32
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %starts = tt.splat %start : i32 -> tensor<8xi32>
  %x = arith.addi %starts, %i : tensor<8xi32>
  %as = tt.splat %a : i32 -> tensor<8xi32>
  %bs = tt.splat %b : i32 -> tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %c3 = arith.constant dense<3> : tensor<8xi32>
  %zeros = arith.constant dense<0> : tensor<8xi32>
  %y = arith.muli %x, %c3 : tensor<8xi32>
  %z = arith.subi %as, %y : tensor<8xi32>
  %true = arith.constant dense<true> : tensor<8xi1>
  %false = arith.constant dense<false> : tensor<8xi1>
  %scalar = arith.cmpi slt, %b, %n : i32
  %scalars = tt.splat %scalar : i1 -> tensor<8xi1>
  %m0 = arith.cmpi slt, %x, %ns : tensor<8xi32>
  %m1 = arith.cmpi sge, %x, %as : tensor<8xi32>
  %m2 = arith.xori %m0, %m1 : tensor<8xi1>
)";

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<AffineAnalysis> forms;
};

TEST_F(MaskAnalysisTest, EverySignedComparisonIsABound) {
  for (const char *predicate : {"slt", "sle", "sgt", "sge", "eq"})
    for (const char *operands : {"%x, %ns", "%ns, %x", "%y, %ns", "%z, %ns",
                                 "%ns, %z", "%z, %x", "%i, %c3"}) {
      MaskPattern pattern =
          analyze(std::string("  %r = arith.cmpi ") + predicate + ", " +
                  operands + " : tensor<8xi32>\n");
      EXPECT_TRUE(isBoundsOnly(pattern)) << predicate << " " << operands;
    }
}

TEST_F(MaskAnalysisTest, UnequalStaysAPredicate) {
  MaskPattern pattern =
      analyze("  %r = arith.cmpi ne, %x, %ns : tensor<8xi32>\n");
  EXPECT_EQ(pattern.residuals.size(), 1u);
  // Unless it is never equal.
  EXPECT_TRUE(analyze("  %c = arith.constant dense<9> : tensor<8xi32>\n"
                      "  %r = arith.cmpi ne, %i, %c : tensor<8xi32>\n")
                  .residuals.empty());
}

// `x < n` is not `0 <= x < n` for a negative n, but it is for 3.
TEST_F(MaskAnalysisTest, UnsignedComparisonsNeedBothSidesNonNegative) {
  EXPECT_EQ(analyze("  %r = arith.cmpi ult, %x, %ns : tensor<8xi32>\n")
                .residuals.size(),
            1u);
  EXPECT_TRUE(isBoundsOnly(
      analyze("  %r = arith.cmpi ult, %i, %c3 : tensor<8xi32>\n")));
}

// A lower bound that always holds is not one; one that may not, is.
TEST_F(MaskAnalysisTest, LowerBoundsAreKeptWhereTheyCanFail) {
  EXPECT_TRUE(analyze("  %r = arith.cmpi sge, %x, %zeros : tensor<8xi32>\n")
                  .dimensions[0]
                  .lows.empty());
  EXPECT_EQ(analyze("  %s = arith.addi %x, %as : tensor<8xi32>\n"
                    "  %r = arith.cmpi sge, %s, %zeros : tensor<8xi32>\n")
                .dimensions[0]
                .lows.size(),
            1u);
}

TEST_F(MaskAnalysisTest, ConjunctionsOfAnyLength) {
  MaskPattern pattern =
      analyze("  %a0 = arith.andi %m0, %m1 : tensor<8xi1>\n"
              "  %a1 = arith.andi %scalars, %m2 : tensor<8xi1>\n"
              "  %r = arith.andi %a0, %a1 : tensor<8xi1>\n");
  EXPECT_EQ(pattern.dimensions[0].lows.size(), 1u);
  EXPECT_EQ(pattern.dimensions[0].highs.size(), 1u);
  EXPECT_EQ(pattern.scalars.size(), 1u);
  EXPECT_EQ(pattern.residuals.size(), 1u);
}

TEST_F(MaskAnalysisTest, NegationsMoveInwards) {
  EXPECT_TRUE(
      isBoundsOnly(analyze("  %r = arith.xori %m0, %true : tensor<8xi1>\n")));
  EXPECT_TRUE(
      isBoundsOnly(analyze("  %o = arith.ori %m0, %m1 : tensor<8xi1>\n"
                           "  %r = arith.xori %o, %true : tensor<8xi1>\n")));
  EXPECT_EQ(analyze("  %o = arith.andi %m0, %m1 : tensor<8xi1>\n"
                    "  %r = arith.xori %true, %o : tensor<8xi1>\n")
                .residuals.size(),
            1u);
  EXPECT_EQ(
      analyze("  %r = arith.ori %m0, %m1 : tensor<8xi1>\n").residuals.size(),
      1u);
}

TEST_F(MaskAnalysisTest, ChoicesWithAConstantSide) {
  for (const char *operands : {"%m0, %m1, %false", "%m0, %false, %m1"})
    EXPECT_TRUE(
        isBoundsOnly(analyze(std::string("  %r = arith.select ") + operands +
                             " : tensor<8xi1>, tensor<8xi1>\n")));
  for (const char *operands : {"%m0, %m1, %true", "%m0, %true, %m1"}) {
    std::string select = std::string("  %s = arith.select ") + operands +
                         " : tensor<8xi1>, tensor<8xi1>\n";
    EXPECT_EQ(analyze(select + "  %r = arith.andi %s, %s : tensor<8xi1>\n")
                  .residuals.size(),
              2u);
    EXPECT_TRUE(isBoundsOnly(
        analyze(select + "  %r = arith.xori %s, %true : tensor<8xi1>\n")));
  }
}

TEST_F(MaskAnalysisTest, UniformMasksSwitchTheBlock) {
  EXPECT_EQ(analyze("  %r = arith.cmpi sgt, %as, %ns : tensor<8xi32>\n")
                .comparisons.size(),
            1u);
  EXPECT_TRUE(
      analyze("  %r = arith.xori %true, %true : tensor<8xi1>\n").isNever);
  EXPECT_TRUE(analyze("  %c = arith.constant dense<9> : tensor<8xi32>\n"
                      "  %r = arith.cmpi sgt, %i, %c : tensor<8xi32>\n")
                  .isNever);
}

TEST_F(MaskAnalysisTest, DimensionsThroughViews) {
  std::string rows =
      "  %row = tt.expand_dims %m0 {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>\n"
      "  %rows = tt.broadcast %row : tensor<8x1xi1> -> tensor<8x4xi1>\n";
  MaskPattern pattern = analyze(
      rows +
      "  %t = tt.splat %n : i32 -> tensor<1x4xi32>\n"
      "  %e = tt.expand_dims %j4 {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>\n"
      "  %c = arith.cmpi slt, %e, %t : tensor<1x4xi32>\n"
      "  %cols = tt.broadcast %c : tensor<1x4xi1> -> tensor<8x4xi1>\n"
      "  %both = arith.andi %rows, %cols : tensor<8x4xi1>\n"
      "  %r = tt.trans %both {order = array<i32: 1, 0>} : tensor<8x4xi1> -> tensor<4x8xi1>\n");
  EXPECT_TRUE(isBoundsOnly(pattern));
  EXPECT_EQ(pattern.dimensions[0].highs.size(), 1u);
  EXPECT_EQ(pattern.dimensions[1].highs.size(), 1u);
  // What stays a predicate does so in the shape of the block.
  pattern = analyze(
      "  %row = tt.expand_dims %m2 {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>\n"
      "  %r = tt.broadcast %row : tensor<8x1xi1> -> tensor<8x4xi1>\n");
  ASSERT_EQ(pattern.residuals.size(), 1u);
  // Dimensions of size 1 are compared like others.
  pattern = analyze("  %t = tt.splat %n : i32 -> tensor<1xi32>\n"
                    "  %u = tt.splat %pid : i32 -> tensor<1xi32>\n"
                    "  %r = arith.cmpi slt, %u, %t : tensor<1xi32>\n");
  EXPECT_EQ(pattern.comparisons.size(), 1u);
  // Rows of a flattened block.
  pattern = analyze("  %i2 = tt.reshape %x : tensor<8xi32> -> tensor<2x4xi32>\n"
                    "  %t = tt.splat %n : i32 -> tensor<2x4xi32>\n"
                    "  %r = arith.cmpi slt, %i2, %t : tensor<2x4xi32>\n");
  EXPECT_EQ(pattern.residuals.size(), 1u);
}

TEST_F(MaskAnalysisTest, RandomMasksAgree) {
  std::mt19937 random(3);
  auto pick = [&](size_t count) { return random() % count; };
  const char *predicates[] = {"slt", "sle", "sgt", "sge", "eq",
                              "ne",  "ult", "ule", "ugt", "uge"};
  const char *numbers[] = {"%i", "%x", "%y", "%z", "%as", "%bs", "%ns", "%c3"};
  const char *connectives[] = {"andi", "ori", "xori"};
  for (int round = 0; round < 120; ++round) {
    std::string lines;
    SmallVector<std::string> masks = {"%m0", "%scalars", "%true", "%false"};
    for (int line = 0; line < 6; ++line) {
      std::string name = "%v" + std::to_string(line);
      if (line < 3)
        lines += "  " + name + " = arith.cmpi " + predicates[pick(10)] + ", " +
                 numbers[pick(8)] + ", " + numbers[pick(8)] +
                 " : tensor<8xi32>\n";
      else
        lines += "  " + name + " = arith." + connectives[pick(3)] + " " +
                 masks[pick(masks.size())] + ", " + masks[pick(masks.size())] +
                 " : tensor<8xi1>\n";
      masks.push_back(name);
    }
    analyze(lines);
  }
}

} // namespace
