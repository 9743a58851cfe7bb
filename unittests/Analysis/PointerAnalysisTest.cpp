//===- PointerAnalysisTest.cpp - Unit tests of the pointer analysis -------===//

#include "triton-shared/Analysis/PointerAnalysis.h"

#include "Interpreter.h"
#include "triton-shared/Analysis/DescribeIndex.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

class PointerAnalysisTest : public ::testing::Test {
protected:
  /// The pattern of `%r : tensor<8x4xi32>`, which `lines` define.
  std::string analyze(const std::string &lines) {
    module = parseKernel(context, block + lines);
    EXPECT_TRUE(module);
    Operation *function = &module->getBody()->front();
    Value offsets =
        std::prev(function->getRegion(0).front().end(), 2)->getResult(0);
    AffineAnalysis forms(function);
    PointerAnalysis::Result result = PointerAnalysis(forms).analyze(offsets);
    if (auto *why = std::get_if<Unstructured>(&result))
      return why->culprit.getDefiningOp()->getName().getStringRef().str() +
             " " + why->reason;
    auto pattern = std::get<AccessPattern>(result);
    std::string text = describeIndex(forms, pattern.offset);
    for (const DimensionPattern &dimension : pattern.dimensions) {
      text += "; " + describeIndex(forms, dimension.stride);
      if (dimension.isWrapped())
        text += " wrap " + describeIndex(forms, dimension.wrapStart) + " at " +
                describeIndex(forms, dimension.wrapSize);
      if (dimension.isGathered())
        text += " by " + describeIndex(forms, dimension.indices);
    }
    return text;
  }

  const std::string block = R"(
  %i8 = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %j4 = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %pid = tt.get_program_id x : i32
  %pids = tt.splat %pid : i32 -> tensor<8xi32>
  %c8 = arith.constant dense<8> : tensor<8xi32>
  %start = arith.muli %pids, %c8 : tensor<8xi32>
  %x8 = arith.addi %start, %i8 : tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %w8 = arith.remsi %x8, %ns : tensor<8xi32>
  %q8 = arith.divsi %x8, %ns : tensor<8xi32>
  %e8 = arith.extsi %i8 : tensor<8xi32> to tensor<8xi64>
  %l8 = tts.gather %p[%e8] : !tt.ptr<i32>, tensor<8xi64> -> tensor<8xi32>
)";

  /// `%name` over rows, times `%a` if `isScaled`, and a range over columns.
  std::string rowsAndColumns(const std::string &name, bool isScaled) {
    return "  %r0 = tt.expand_dims " + name +
           " {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>\n"
           "  %as = tt.splat %a : i32 -> tensor<8x1xi32>\n"
           "  %r1 = arith.muli %r0, %as : tensor<8x1xi32>\n"
           "  %r2 = tt.broadcast " +
           (isScaled ? "%r1" : "%r0") +
           " : tensor<8x1xi32> -> tensor<8x4xi32>\n"
           "  %k0 = tt.expand_dims %j4 {axis = 0 : i32} : tensor<4xi32> -> "
           "tensor<1x4xi32>\n"
           "  %k1 = tt.broadcast %k0 : tensor<1x4xi32> -> tensor<8x4xi32>\n"
           "  %r = arith.addi %r2, %k1 : tensor<8x4xi32>\n";
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(PointerAnalysisTest, RowsTimesAStride) {
  EXPECT_EQ(analyze(rowsAndColumns("%x8", true)),
            "8 * program_id(0) * arg1; arg1; 1");
}

TEST_F(PointerAnalysisTest, RowsThatWrapAround) {
  EXPECT_EQ(analyze(rowsAndColumns("%w8", true)),
            "0; arg1 wrap 8 * program_id(0) at arg3; 1");
}

TEST_F(PointerAnalysisTest, ADimensionWithoutATermIsBroadcast) {
  EXPECT_EQ(analyze(rowsAndColumns("%start", false)),
            "8 * program_id(0); 0; 1");
}

TEST_F(PointerAnalysisTest, RowsFromMemoryAreGatheredByThemselves) {
  EXPECT_EQ(analyze(rowsAndColumns("%l8", true)), "0; arg1 by tensor0[...]; 1");
}

TEST_F(PointerAnalysisTest, QuotientsAreGatheredByThemselves) {
  EXPECT_EQ(analyze(rowsAndColumns("%q8", true)),
            "0; arg1 by (i0 + 8 * program_id(0)) // arg3; 1");
}

TEST_F(PointerAnalysisTest, AListOfOffsetsStaysAGather) {
  EXPECT_EQ(analyze("  %r = arith.addi %l8, %x8 : tensor<8xi32>\n"),
            "tts.gather is itself read from memory");
}

// An index and its quotient, as compilers of tensor programs write them.
TEST_F(PointerAnalysisTest, AFlattenedIndexIsALineInEachDimension) {
  EXPECT_EQ(analyze("  %c4 = arith.constant dense<4> : tensor<8xi32>\n"
                    "  %as = tt.splat %a : i32 -> tensor<8xi32>\n"
                    "  %q = arith.divsi %x8, %c4 : tensor<8xi32>\n"
                    "  %r = arith.remsi %x8, %c4 : tensor<8xi32>\n"
                    "  %w = arith.muli %r, %as : tensor<8xi32>\n"
                    "  %z = arith.addi %w, %q : tensor<8xi32>\n"),
            "2 * program_id(0); 1; arg1");
  // Three does not divide eight.
  EXPECT_EQ(analyze("  %c3 = arith.constant dense<3> : tensor<8xi32>\n"
                    "  %r = arith.remsi %i8, %c3 : tensor<8xi32>\n"),
            "0; 1 wrap 0 at 3");
  EXPECT_EQ(
      analyze("  %c3 = arith.constant dense<3> : tensor<8xi32>\n"
              "  %r = arith.divsi %i8, %c3 : tensor<8xi32>\n"),
      "arith.divsi divides by 3 an index whose 8 values are not whole rows "
      "of that");
}

TEST_F(PointerAnalysisTest, AProductOfTwoRangesIsToBlame) {
  EXPECT_EQ(analyze("  %y = arith.muli %x8, %x8 : tensor<8xi32>\n"
                    "  %r = arith.addi %y, %x8 : tensor<8xi32>\n"),
            "arith.muli multiplies two values that vary over the block");
}

TEST_F(PointerAnalysisTest, ATransposedBlockSwapsItsStrides) {
  EXPECT_EQ(analyze(rowsAndColumns("%x8", true) +
                    "  %t = tt.trans %r {order = array<i32: 1, 0>} : "
                    "tensor<8x4xi32> -> tensor<4x8xi32>\n"),
            "8 * program_id(0) * arg1; 1; arg1");
}

TEST_F(PointerAnalysisTest, AFlattenedBlockIsSplitByItsShape) {
  EXPECT_EQ(analyze("  %t = tt.reshape %x8 : tensor<8xi32> -> tensor<2x4xi32>\n"
                    "  %c4 = arith.constant dense<4> : tensor<2x4xi32>\n"
                    "  %row = arith.divsi %t, %c4 : tensor<2x4xi32>\n"
                    "  %col = arith.remsi %t, %c4 : tensor<2x4xi32>\n"
                    "  %as = tt.splat %a : i32 -> tensor<2x4xi32>\n"
                    "  %s = arith.muli %row, %as : tensor<2x4xi32>\n"
                    "  %r = arith.addi %s, %col : tensor<2x4xi32>\n"),
            "2 * program_id(0) * arg1; arg1; 1");
}

} // namespace
