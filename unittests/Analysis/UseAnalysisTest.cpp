//===- UseAnalysisTest.cpp - Unit tests of the use analysis ---------------===//

#include "triton-shared/Analysis/UseAnalysis.h"

#include "Interpreter.h"
#include "mlir/Parser/Parser.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

TEST(UseAnalysisTest, TellsAddressesFromData) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = parseKernel(context, R"(
  %meta = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %offsets = arith.extsi %meta : tensor<8xi32> to tensor<8xi64>
  %data = tt.make_range {start = 1 : i32, end = 9 : i32} : tensor<8xi32>
  tts.scatter %data to %p[%offsets] : tensor<8xi32>, !tt.ptr<i32>, tensor<8xi64>
  %mixed = tt.make_range {start = 2 : i32, end = 10 : i32} : tensor<8xi32>
  %mixed_offsets = arith.extsi %mixed : tensor<8xi32> to tensor<8xi64>
  tts.scatter %mixed to %p[%mixed_offsets] : tensor<8xi32>, !tt.ptr<i32>, tensor<8xi64>
  %none = tt.make_range {start = 3 : i32, end = 11 : i32} : tensor<8xi32>
  %none_offsets = arith.extsi %none : tensor<8xi32> to tensor<8xi64>
  %loaded = tts.gather %p[%none_offsets] : !tt.ptr<i32>, tensor<8xi64> -> tensor<8xi32>
)");
  ASSERT_TRUE(module);
  UseAnalysis uses(&module->getBody()->front());
  const Use expected[] = {Use::Meta, Use::Data, Use::Mixed, Use::None};
  module->walk([&](triton::MakeRangeOp range) {
    EXPECT_EQ(uses.getUse(range), expected[range.getStart()])
        << range.getStart();
  });
}

// A tensor that only computes its own next value is of no use.
TEST(UseAnalysisTest, ACycleThroughALoopIsNoUse) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = parseKernel(context, R"(
  %x = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %offsets = arith.extsi %x : tensor<8xi32> to tensor<8xi64>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%y = %x, %z = %x) -> (tensor<8xi32>, tensor<8xi32>) : i32 {
    %y1 = arith.addi %y, %x : tensor<8xi32>
    %z1 = arith.addi %z, %x : tensor<8xi32>
    scf.yield %y1, %z1 : tensor<8xi32>, tensor<8xi32>
  }
  tts.scatter %r#1 to %p[%offsets] : tensor<8xi32>, !tt.ptr<i32>, tensor<8xi64>
)");
  ASSERT_TRUE(module);
  UseAnalysis uses(&module->getBody()->front());
  module->walk([&](scf::ForOp loop) {
    EXPECT_EQ(uses.getUse(loop.getRegionIterArg(0)), Use::None);
    EXPECT_EQ(uses.getUse(loop.getRegionIterArg(1)), Use::Data);
    EXPECT_EQ(uses.getUse(loop.getResult(1)), Use::Data);
  });
}

TEST(UseAnalysisTest, WhatIsReturnedIsData) {
  MLIRContext context;
  loadDialects(context);
  auto module = parseSourceString<ModuleOp>("tt.func @f(%a: i32) -> i32 {\n"
                                            "  %r = arith.addi %a, %a : i32\n"
                                            "  tt.return %r : i32\n}",
                                            &context);
  ASSERT_TRUE(module);
  UseAnalysis uses(&module->getBody()->front());
  module->walk([&](arith::AddIOp sum) {
    EXPECT_EQ(uses.getUse(sum.getLhs()), Use::Data);
  });
}

} // namespace
