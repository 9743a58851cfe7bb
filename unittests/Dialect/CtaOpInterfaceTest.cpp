//===- CtaOpInterfaceTest.cpp - What operations on tiles say --------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

/// 128 elements on two warps: a row of 4 per thread, or one after the other.
constexpr char kLayouts[] = R"(
#a = #cta.layout<register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = [[0]]>
#b = #cta.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#m = #cta.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0]]>
#t = #cta.layout<register = [[1, 0]], lane = [[2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
#r = #cta.layout<register = [], lane = [[0], [0], [0], [1], [2]], warp = [[4]]>
#s = #cta.shared<[[1], [2], [4], [8], [16], [32], [64]]>
)";

class CtaOpInterfaceTest : public testing::Test {
protected:
  /// The first operation of `cta` in `body`, which has tiles `%a`, `%b` of 128
  /// f32 and a `%m` of 8x16 at hand, and a buffer `%buffer`.
  cta::CtaOpInterface parse(const std::string &body) {
    context
        .loadDialect<arith::ArithDialect, cta::CTADialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(
        kLayouts +
            std::string(
                "func.func @f(%a: tensor<128xf32, #a>, %b: tensor<128xf32, "
                "#b>, %m: tensor<8x16xf32, #m>, %i: tensor<128xi32, #b>, "
                "%buffer: !cta.buffer<2, 128xf32, #s>, %slot: i32, %at: "
                "index) attributes {cta.num_warps = 2 : i32} {\n") +
            body + "\nreturn\n}",
        &context);
    EXPECT_TRUE(module) << body;
    cta::CtaOpInterface first;
    if (module)
      module->walk<WalkOrder::PreOrder>([&](cta::CtaOpInterface op) {
        first = op;
        return WalkResult::interrupt();
      });
    EXPECT_TRUE(first) << body;
    return first;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(CtaOpInterfaceTest, WhatNeedsSharedMemoryHasANoun) {
  struct Case {
    const char *text;
    int64_t bytes;
    const char *noun;
  } cases[] = {
      {"%x = cta.convert_layout %a : tensor<128xf32, #a> -> tensor<128xf32, "
       "#b>",
       512, "moving this block between threads"},
      {"%x = cta.lookup %a[%i : tensor<128xi32, #b>] : tensor<128xf32, #a> -> "
       "tensor<128xf32, #b>",
       512, "this lookup of elements"},
      {"%x = cta.extract %a[%at] : tensor<128xf32, #a>", 512,
       "this use of one element"},
      {"%x = cta.histogram %i : tensor<128xi32, #b> -> tensor<128xi32, #b>",
       512, "this histogram"},
      {"%x = cta.alloc : !cta.buffer<3, 128xf32, #s>", 1536, "this block"},
      // One number of each warp.
      {"%x = cta.reduce %b axis 0 : (tensor<128xf32, #b>) -> tensor<f32, "
       "#cta.layout<register = [], lane = [[], [], [], [], []], warp = [[]]>> "
       "{\n^bb0(%l: f32, %r: f32):\n%0 = arith.addf %l, %r : f32\ncta.yield %0 "
       ": f32\n}",
       16, "this reduction"},
      {"%x = cta.scan %b axis 0 : (tensor<128xf32, #b>) -> tensor<128xf32, "
       "#b> {\n^bb0(%l: f32, %r: f32):\n%0 = arith.addf %l, %r : f32\ncta.yield "
       "%0 : f32\n}",
       16, "this scan"},
      {"%x = cta.splat %slot : tensor<128xi32, #a>", 0, "this operation"},
  };
  for (const Case &c : cases) {
    cta::CtaOpInterface op = parse(c.text);
    ASSERT_TRUE(op);
    EXPECT_EQ(op.getSharedBytes(), c.bytes) << c.text;
    EXPECT_EQ(op.getNoun(), c.noun) << c.text;
  }
}

TEST_F(CtaOpInterfaceTest, BuffersAreReadAndWritten) {
  cta::CtaOpInterface write =
      parse("cta.write %b to %buffer[%slot] : tensor<128xf32, #b> to "
            "!cta.buffer<2, 128xf32, #s>");
  ASSERT_EQ(write.getBufferUses().size(), 1u);
  EXPECT_TRUE(write.getBufferUses()[0].isWrite);
  EXPECT_FALSE(write.getBufferUses()[0].goesOn);
  EXPECT_EQ(write.getBufferUses()[0].buffer, write->getOperand(1));
  cta::CtaOpInterface read =
      parse("%x = cta.read %buffer[%slot] [0] : !cta.buffer<2, 128xf32, #s> -> "
            "tensor<128xf32, #b>");
  ASSERT_EQ(read.getBufferUses().size(), 1u);
  EXPECT_FALSE(read.getBufferUses()[0].isWrite);
  EXPECT_EQ(read.getSharedBytes(), 0);
  EXPECT_TRUE(parse("cta.wait 0").isBarrier());
  EXPECT_FALSE(parse("cta.commit").isBarrier());
}

TEST_F(CtaOpInterfaceTest, ATransposeTurnsLayoutsBothWays) {
  cta::CtaOpInterface op =
      parse("%x = cta.transpose %m [1, 0] : tensor<8x16xf32, #m> -> "
            "tensor<16x8xf32, #t>");
  Value source = op->getOperand(0), result = op->getResult(0);
  cta::LinearLayout ofSource = cta::getLayout(source.getType());
  cta::LinearLayout ofResult = cta::getLayout(result.getType());
  SmallVector<cta::LayoutRelation> forward = op.getLayoutRelations(source);
  ASSERT_EQ(forward.size(), 1u);
  EXPECT_EQ(forward[0].related, result);
  EXPECT_EQ(forward[0].follow(ofSource), ofResult);
  SmallVector<cta::LayoutRelation> backward = op.getLayoutRelations(result);
  ASSERT_EQ(backward.size(), 1u);
  EXPECT_EQ(backward[0].follow(ofResult), ofSource);
  EXPECT_EQ(op.getNeededLayout(op->getOpOperand(0)), ofSource);
  EXPECT_TRUE(op.isMadeAgain());
}

TEST_F(CtaOpInterfaceTest, AReductionLeavesItsResultWhereTheTileWas) {
  cta::CtaOpInterface op =
      parse("%x = cta.reduce %m axis 1 : (tensor<8x16xf32, #m>) -> "
            "tensor<8xf32, #r> {\n^bb0(%l: f32, %r: f32):\n%0 = arith.addf "
            "%l, %r : f32\ncta.yield %0 : f32\n}");
  std::optional<cta::LayoutRelation> origin = op.getLayoutOrigin();
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->related, op->getOperand(0));
  EXPECT_EQ(origin->follow(cta::getLayout(op->getOperand(0).getType())),
            cta::getLayout(op->getResult(0).getType()));
  // Its result tells nothing of the tile.
  EXPECT_TRUE(op.getLayoutRelations(op->getResult(0)).empty());
  EXPECT_FALSE(op.isMadeAgain());
}

} // namespace
