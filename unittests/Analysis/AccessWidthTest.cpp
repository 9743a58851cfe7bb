//===- AccessWidthTest.cpp - Unit tests of the width of accesses ----------===//

#include "triton-shared/Analysis/AccessWidth.h"

#include "Interpreter.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

class AccessWidthTest : public ::testing::Test {
protected:
  /// Describes the last access of a kernel whose base is a multiple of
  /// `baseBytes` bytes. Numbers: `%o` is anything, `%a` a multiple of 16, `%n`
  /// of 4, all of them i64.
  AccessWidth describe(const std::string &access, int64_t baseBytes = 16) {
    OwningOpRef<ModuleOp> module =
        parseKernel(context, "%o = arith.extsi %b : i32 to i64\n"
                             "%wide_a = arith.extsi %a : i32 to i64\n"
                             "%wide_n = arith.extsi %n : i32 to i64\n"
                             "%zero = arith.constant 0 : i64\n" +
                                 access);
    EXPECT_TRUE(module) << access;
    AccessWidth width;
    if (!module)
      return width;
    auto function = cast<FunctionOpInterface>(module->getBody()->front());
    Builder builder(&context);
    int64_t hints[] = {baseBytes, 16, 1, 4};
    for (auto [number, hint] : llvm::enumerate(hints))
      function.setArgAttr(number, "tt.divisibility",
                          builder.getI32IntegerAttr(hint));
    DataFlowSolver solver;
    EXPECT_TRUE(succeeded(runDivisibilityAnalysis(solver, *module)));
    function.walk([&](tts::AccessOpInterface access) {
      width = describeAccessWidth(solver, access);
    });
    return width;
  }

private:
  MLIRContext context;
};

using Order = SmallVector<unsigned>;

TEST_F(AccessWidthTest, SixteenBytesAreTheMost) {
  AccessWidth width = describe(
      "%x = tts.load %p[%wide_a] strides [1] : !tt.ptr<i32> -> tensor<64xi32>");
  EXPECT_EQ(width.elements, 4u);
  EXPECT_TRUE(width.isUniform());
  EXPECT_EQ(
      describe(
          "%x = tts.load %p[%wide_a] strides [1] : !tt.ptr<i32> -> tensor<2xi32>")
          .elements,
      2u);
}

TEST_F(AccessWidthTest, TheBaseCountsInBytes) {
  const char *load =
      "%x = tts.load %p[%wide_a] strides [1] : !tt.ptr<i32> -> tensor<64xi32>";
  EXPECT_EQ(describe(load, /*baseBytes=*/8).elements, 2u);
  EXPECT_EQ(describe(load, /*baseBytes=*/4).elements, 1u);
  EXPECT_EQ(describe(load, /*baseBytes=*/1).elements, 1u);
}

TEST_F(AccessWidthTest, ABaseMadeOfAnAddressIsWhatTheAddressIs) {
  auto load = [&](const std::string &distance) {
    return describe("%start = tts.to_address %p : !tt.ptr<i32>\n"
                    "%at = arith.addi %start, " +
                    distance +
                    " : i64\n"
                    "%q = tts.from_address %at : !tt.ptr<i16>\n"
                    "%x = tts.load %q[%zero] strides [1] "
                    ": !tt.ptr<i16> -> tensor<64xi16>");
  };
  EXPECT_EQ(load("%wide_a").elements, 8u);
  EXPECT_EQ(load("%wide_n").elements, 2u);
  EXPECT_EQ(load("%o").elements, 1u);
}

TEST_F(AccessWidthTest, OffsetsCountInElements) {
  EXPECT_EQ(
      describe(
          "%x = tts.load %p[%wide_n] strides [1] : !tt.ptr<i32> -> tensor<64xi32>")
          .elements,
      4u);
  EXPECT_EQ(
      describe(
          "%c = arith.constant 6 : i64\n"
          "%x = tts.load %p[%c] strides [1] : !tt.ptr<i32> -> tensor<64xi32>")
          .elements,
      2u);
  EXPECT_EQ(
      describe(
          "%x = tts.load %p[%o] strides [1] : !tt.ptr<i32> -> tensor<64xi32>")
          .elements,
      1u);
}

TEST_F(AccessWidthTest, OtherDimensionsMoveByTheirStride) {
  auto load = [&](const std::string &stride, const std::string &rows) {
    return describe("%x = tts.load %p[%zero] strides [" + stride +
                    ", 1] : !tt.ptr<i32> -> tensor<" + rows + "x64xi32>");
  };
  EXPECT_EQ(load("%wide_a", "8").elements, 4u);
  EXPECT_EQ(load("%o", "8").elements, 1u);
  EXPECT_EQ(load("6", "8").elements, 2u);
  EXPECT_EQ(load("-8", "8").elements, 4u);
  // There is no second row.
  EXPECT_EQ(load("%o", "1").elements, 4u);
}

TEST_F(AccessWidthTest, AKernelMaySayWhereLinesBegin) {
  auto load = [&](const std::string &how, const std::string &alignment) {
    return describe("%x = tts.load %p[%o] " + how +
                    " {tts.line_alignment = array<i64: " + alignment +
                    ">} : !tt.ptr<i32> -> tensor<8x64xi32>")
        .elements;
  };
  EXPECT_EQ(load("strides [%o, 1]", "1, 16"), 4u);
  EXPECT_EQ(load("strides [%o, 1]", "16, 8"), 2u);
  EXPECT_EQ(load("strides [1, %o]", "16, 1"), 4u);
  // Where lines break is not said.
  EXPECT_EQ(load("strides [%o, 1] wrap [1] from(%o) size(%o)", "16, 16"), 1u);
}

TEST_F(AccessWidthTest, AKernelMaySayThatGatheredNeighboursFollowEachOther) {
  auto load = [&](const std::string &how, const std::string &runs) {
    return describe("%rows = arith.constant dense<0> : tensor<8xi64>\n"
                    "%columns = arith.constant dense<0> : tensor<64xi64>\n"
                    "%x = tts.load %p[%zero] " +
                    how + " {tts.index_runs = array<i64: " + runs +
                    ">} : !tt.ptr<i32> -> tensor<8x64xi32>");
  };
  std::string columns =
      "strides [%wide_a, 1] gather [1] by(%columns : tensor<64xi64>)";
  EXPECT_EQ(load(columns, "1, 16").elements, 4u);
  EXPECT_TRUE(load(columns, "1, 16").isContiguous);
  EXPECT_EQ(load(columns, "1, 2").elements, 2u);
  EXPECT_FALSE(load(columns, "1, 1").isContiguous);
  // Rows that follow each other do not lie side by side.
  EXPECT_FALSE(load("strides [%wide_a, 1] gather [0, 1] by(%rows, %columns : "
                    "tensor<8xi64>, tensor<64xi64>)",
                    "8, 1")
                   .isContiguous);
  EXPECT_EQ(load("strides [1, 64] gather [0] by(%rows : tensor<8xi64>)", "8, 1")
                .order,
            (Order{0, 1}));
  std::string bounded = columns + " bounds [1] from(%zero) to(%o)";
  EXPECT_EQ(load(bounded, "1, 16").elements, 4u);
  EXPECT_EQ(load(bounded, "1, 16").uniform, 1u);
}

TEST_F(AccessWidthTest, TheNearestNeighboursComeFirst) {
  auto order = [&](const std::string &strides, const std::string &shape) {
    return describe("%x = tts.load %p[%zero] strides [" + strides +
                    "] : !tt.ptr<i32> -> tensor<" + shape + "xi32>")
        .order;
  };
  EXPECT_EQ(order("64, 1", "8x64"), (Order{1, 0}));
  EXPECT_EQ(order("1, 64", "8x64"), (Order{0, 1}));
  EXPECT_EQ(order("1, %o", "8x64"), (Order{0, 1}));
  EXPECT_EQ(order("%o, %o", "8x64"), (Order{1, 0}));
  EXPECT_EQ(order("2, 128, 16", "8x64x4"), (Order{0, 2, 1}));
  // Of one element, the distance says nothing.
  EXPECT_EQ(order("1, 64", "1x64"), (Order{1, 0}));
}

TEST_F(AccessWidthTest, NeighboursThatAreNotSideBySideMoveAlone) {
  EXPECT_EQ(
      describe(
          "%x = tts.load %p[%zero] strides [2] : !tt.ptr<i32> -> tensor<64xi32>")
          .elements,
      1u);
  EXPECT_EQ(
      describe(
          "%x = tts.load %p[%zero] strides [%wide_a] : !tt.ptr<i32> -> tensor<64xi32>")
          .elements,
      1u);
  EXPECT_EQ(
      describe(
          "%x = tts.load %p[%zero] strides [-1] : !tt.ptr<i32> -> tensor<64xi32>")
          .elements,
      1u);
}

TEST_F(AccessWidthTest, BoundsMayCutThroughNeighbours) {
  auto load = [&](const std::string &low, const std::string &high) {
    return describe("%x = tts.load %p[%zero] strides [1] bounds [0] from (" +
                    low + ") to (" + high +
                    ") : !tt.ptr<i32> -> tensor<64xi32>");
  };
  EXPECT_TRUE(load("%zero", "%wide_n").isUniform());
  EXPECT_FALSE(load("%zero", "%o").isUniform());
  EXPECT_FALSE(load("%o", "%wide_n").isUniform());
  EXPECT_EQ(load("%zero", "%o").elements, 4u);
  EXPECT_EQ(load("%zero", "%o").uniform, 1u);
}

TEST_F(AccessWidthTest, BoundsOfOtherDimensionsTakeWholeRows) {
  AccessWidth width = describe(
      "%x = tts.load %p[%zero] strides [64, 1] bounds [0] from (%zero) to (%o) "
      ": !tt.ptr<i32> -> tensor<8x64xi32>");
  EXPECT_EQ(width.elements, 4u);
  EXPECT_TRUE(width.isUniform());
}

TEST_F(AccessWidthTest, WrappedRowsStayTogetherIfTheyBreakAtMultiples) {
  auto load = [&](const std::string &start, const std::string &size) {
    return describe("%x = tts.load %p[%zero] strides [1] wrap [0] from (" +
                    start + ") size (" + size +
                    ") : !tt.ptr<i32> -> tensor<64xi32>")
        .elements;
  };
  EXPECT_EQ(load("%wide_a", "%wide_n"), 4u);
  EXPECT_EQ(load("%o", "%wide_n"), 1u);
  EXPECT_EQ(load("%wide_a", "%o"), 1u);
}

TEST_F(AccessWidthTest, GatheredRowsMayBeWide) {
  auto load = [&](const std::string &strides, const std::string &dim) {
    return describe(
        "%i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>\n"
        "%j = arith.extsi %i : tensor<16xi32> to tensor<16xi64>\n"
        "%x = tts.load %p[%zero] strides [" +
        strides + "] gather [" + dim +
        "] by (%j : tensor<16xi64>) : !tt.ptr<i32> -> tensor<16x16xi32>");
  };
  EXPECT_EQ(load("%wide_a, 1", "0").elements, 4u);
  EXPECT_EQ(load("%wide_a, 1", "0").order, (Order{1, 0}));
  EXPECT_EQ(load("%wide_a, 1", "1").elements, 1u);
  EXPECT_TRUE(load("%wide_a, 1", "0").isContiguous);
  EXPECT_FALSE(load("%wide_a, 1", "1").isContiguous);
}

TEST_F(AccessWidthTest, GatheredLinesBeginAtMultiplesOfTheirIndices) {
  auto load = [&](const std::string &distance, const std::string &stride) {
    return describe("%i = tt.make_range {start = 0 : i32, end = 16 : i32} : "
                    "tensor<16xi32>\n"
                    "%j = arith.extsi %i : tensor<16xi32> to tensor<16xi64>\n"
                    "%d = arith.constant dense<" +
                    distance +
                    "> : tensor<16xi64>\n"
                    "%k = arith.muli %j, %d : tensor<16xi64>\n"
                    "%x = tts.load %p[%zero] strides [" +
                    stride +
                    ", 1] gather [0] by (%k : tensor<16xi64>) "
                    ": !tt.ptr<i32> -> tensor<16x16xi32>")
        .elements;
  };
  EXPECT_EQ(load("128", "1"), 4u);
  EXPECT_EQ(load("2", "1"), 2u);
  EXPECT_EQ(load("2", "2"), 4u);
  EXPECT_EQ(load("3", "1"), 1u);
}

TEST_F(AccessWidthTest, NothingIsKnownAboutOffsetsThatAreData) {
  AccessWidth width = describe(
      "%i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>\n"
      "%j = arith.extsi %i : tensor<16xi32> to tensor<16xi64>\n"
      "%x = tts.gather %p[%j] : !tt.ptr<i32>, tensor<16xi64> -> tensor<16xi32>");
  EXPECT_EQ(width.elements, 1u);
  EXPECT_EQ(width.order, (Order{0}));
}

TEST_F(AccessWidthTest, StoresAreDescribedLikeLoads) {
  AccessWidth width = describe(
      "%v = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>\n"
      "tts.store %v to %p[%wide_n] strides [1] bounds [0] from (%zero) to (%o) "
      ": tensor<64xi32>, !tt.ptr<i32>");
  EXPECT_EQ(width.elements, 4u);
  EXPECT_FALSE(width.isUniform());
}

} // namespace
