//===- AffineFormTest.cpp - Forms against what operations compute ---------===//
//
// The form of a value, evaluated at every place of the block, is what the
// interpreter finds there: for each operation by itself, for loops and
// branches, and for random programs.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Analysis/AffineForm.h"

#include "FormEvaluator.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

class AffineFormTest : public ::testing::Test {
protected:
  /// The kernel with `body`; its values are named as in the text.
  void parse(const std::string &body) {
    module = parseKernel(context, body);
    ASSERT_TRUE(module);
    function = &module->getBody()->front();
    forms = std::make_unique<AffineAnalysis>(function);
  }

  /// The last integer tensor at the top level of the kernel.
  Value getLast() {
    Value last;
    for (Operation &op : function->getRegion(0).front())
      for (Value result : op.getResults())
        if (isa<RankedTensorType>(result.getType()))
          last = result;
    return last;
  }

  std::string print(Value value) {
    std::string text;
    llvm::raw_string_ostream(text) << forms->getForm(value).expr;
    return text;
  }

  /// Compares the forms of all integers at the top level of the kernel.
  void check() {
    for (int64_t programId : {0, 3})
      for (int64_t a : {-3, 0, 5})
        for (int64_t n : {1, 4, 7}) {
          Interpreter run(function, {1000, a, 2, n}, programId);
          FormEvaluator evaluator(*forms, run);
          for (Operation &op : function->getRegion(0).front())
            for (Value result : op.getResults())
              if (getElementTypeOrSelf(result.getType()).isInteger(32) ||
                  getElementTypeOrSelf(result.getType()).isInteger(64))
                ASSERT_TRUE(evaluator.agrees(result))
                    << print(result) << " for " << debugString(op);
        }
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Operation *function = nullptr;
  std::unique_ptr<AffineAnalysis> forms;
};

const char *block = R"(
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %pid = tt.get_program_id x : i32
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %starts = tt.splat %start : i32 -> tensor<8xi32>
  %x = arith.addi %starts, %i : tensor<8xi32>
  %as = tt.splat %a : i32 -> tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %c3 = arith.constant dense<3> : tensor<8xi32>
  %c4 = arith.constant dense<4> : tensor<8xi32>
)";

TEST_F(AffineFormTest, EveryOperationHasAFormThatAgrees) {
  const char *lines[] = {
      "arith.addi %x, %as : tensor<8xi32>",
      "arith.subi %as, %x : tensor<8xi32>",
      "arith.muli %x, %as : tensor<8xi32>",
      "arith.muli %x, %x : tensor<8xi32>",
      "arith.divsi %x, %c4 : tensor<8xi32>",
      "arith.remsi %x, %c4 : tensor<8xi32>",
      "arith.divsi %x, %c3 : tensor<8xi32>",
      "arith.remsi %x, %c3 : tensor<8xi32>",
      "arith.divsi %x, %ns : tensor<8xi32>",
      "arith.remsi %x, %ns : tensor<8xi32>",
      "arith.divui %i, %c3 : tensor<8xi32>",
      "arith.remui %x, %c3 : tensor<8xi32>",
      "arith.shli %x, %c3 : tensor<8xi32>",
      "arith.shrsi %x, %c3 : tensor<8xi32>",
      "arith.andi %x, %c3 : tensor<8xi32>",
      "arith.andi %x, %c4 : tensor<8xi32>",
      "arith.ori %x, %c4 : tensor<8xi32>",
      "arith.xori %x, %c4 : tensor<8xi32>",
      "arith.minsi %x, %as : tensor<8xi32>",
      "arith.maxsi %i, %as : tensor<8xi32>",
      "arith.extsi %x : tensor<8xi32> to tensor<8xi64>",
      "arith.extui %x : tensor<8xi32> to tensor<8xi64>",
      "arith.extui %i : tensor<8xi32> to tensor<8xi64>",
      "tt.expand_dims %x {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>",
      "tt.reshape %x : tensor<8xi32> -> tensor<2x4xi32>",
      "tt.reshape %x : tensor<8xi32> -> tensor<2x1x2x2xi32>",
      "arith.constant dense<[1, 5, 2]> : tensor<3xi32>",
  };
  for (const char *line : lines) {
    parse(std::string(block) + "  %r = " + line);
    check();
  }
}

// C rounds towards zero: only what is not negative may become a remainder.
TEST_F(AffineFormTest, DividendsThatMayBeNegativeAreOpaque) {
  parse(std::string(block) + "  %y = arith.addi %x, %as : tensor<8xi32>\n"
                             "  %r = arith.remsi %y, %c4 : tensor<8xi32>\n");
  check();
  const IndexSymbol &symbol = forms->getSymbol(forms->getForm(getLast()).expr);
  EXPECT_EQ(symbol.kind, IndexSymbol::Kind::Element);
  EXPECT_EQ(symbol.why.reason, "divides a value that may be negative");
}

// `x & 7` keeps the low bits of a negative number too.
TEST_F(AffineFormTest, LowBitsOfANegativeNumberAreItsEuclideanRemainder) {
  parse(std::string(block) + "  %y = arith.addi %x, %as : tensor<8xi32>\n"
                             "  %r = arith.andi %y, %c3 : tensor<8xi32>\n");
  check();
  EXPECT_EQ(forms->getForm(getLast()).expr.getKind(), AffineExprKind::Mod);
}

TEST_F(AffineFormTest, AReshapedRangeIsLinear) {
  parse(std::string(block) +
        "  %y = tt.reshape %x : tensor<8xi32> -> tensor<2x4xi32>\n"
        "  %r = tt.trans %y {order = array<i32: 1, 0>} : tensor<2x4xi32> -> "
        "tensor<4x2xi32>\n");
  check();
  EXPECT_EQ(print(getLast()), "d0 + d1 * 4 + s0 * 8");
}

TEST_F(AffineFormTest, InterleavedIndicesAreLinear) {
  parse(std::string(block) +
        "  %one = arith.constant dense<1> : tensor<8xi32>\n"
        "  %even = arith.addi %x, %x : tensor<8xi32>\n"
        "  %odd = arith.addi %even, %one : tensor<8xi32>\n"
        "  %pairs = tt.join %even, %odd : tensor<8xi32> -> tensor<8x2xi32>\n"
        "  %r = tt.reshape %pairs : tensor<8x2xi32> -> tensor<16xi32>\n");
  check();
  EXPECT_EQ(print(getLast()), "d0 + s0 * 16");
}

// A hash wraps around by design.
TEST_F(AffineFormTest, ConstantsThatOverflowAreOpaque) {
  parse(std::string(block) +
        "  %big = arith.constant dense<1664525000> : tensor<8xi32>\n"
        "  %r = arith.muli %i, %big : tensor<8xi32>\n");
  check();
  EXPECT_EQ(forms->getSymbol(forms->getForm(getLast()).expr).kind,
            IndexSymbol::Kind::Element);
}

TEST_F(AffineFormTest, ALoopThatAddsAScalarCarriesAScalar) {
  parse(std::string(block) + R"(
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %k = %zero to %n step %one iter_args(%y = %x) -> (tensor<8xi32>) : i32 {
    %z = arith.addi %y, %as : tensor<8xi32>
    scf.yield %z : tensor<8xi32>
  })");
  AffineAnalysis::Split parts = forms->split(forms->getForm(getLast()).expr);
  EXPECT_EQ(parts.varying, getAffineDimExpr(0, &context));
  EXPECT_EQ(forms->getSymbol(parts.uniform).kind, IndexSymbol::Kind::Carried);
}

TEST_F(AffineFormTest, ALoopThatScalesIsOpaque) {
  parse(std::string(block) + R"(
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %k = %zero to %n step %one iter_args(%y = %x) -> (tensor<8xi32>) : i32 {
    %z = arith.muli %y, %as : tensor<8xi32>
    scf.yield %z : tensor<8xi32>
  })");
  const IndexSymbol &symbol = forms->getSymbol(forms->getForm(getLast()).expr);
  EXPECT_EQ(symbol.kind, IndexSymbol::Kind::Element);
  EXPECT_EQ(symbol.why.reason,
            "changes by different amounts from one iteration to the next");
}

// Neither guess holds without the other, and one of them is wrong.
TEST_F(AffineFormTest, GuessesThatRestOnWrongOnesAreGivenUp) {
  parse(std::string(block) + R"(
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%y = %x, %w = %x) -> (tensor<8xi32>, tensor<8xi32>) : i32 {
    %z = arith.muli %w, %c3 : tensor<8xi32>
    scf.yield %w, %z : tensor<8xi32>, tensor<8xi32>
  })");
  for (Value result : getLast().getDefiningOp()->getResults())
    EXPECT_EQ(forms->getSymbol(forms->getForm(result).expr).kind,
              IndexSymbol::Kind::Element);
}

// A remainder in a loop needs to know that what is carried stays positive.
TEST_F(AffineFormTest, CarriedScalarsKeepTheirSign) {
  std::string loop = std::string(block) + R"(
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%y = %x, %m = %x) -> (tensor<8xi32>, tensor<8xi32>) : i32 {
    %z = arith.addi %y, STEP : tensor<8xi32>
    %w = arith.remsi %z, %ns : tensor<8xi32>
    scf.yield %z, %w : tensor<8xi32>, tensor<8xi32>
  })";
  auto getKind = [&](const char *step) {
    std::string text = loop;
    text.replace(text.find("STEP"), 4, step);
    parse(text);
    Value remainder;
    function->walk([&](arith::RemSIOp op) { remainder = op; });
    return forms->getForm(remainder).expr.getKind();
  };
  EXPECT_EQ(getKind("%c3"), AffineExprKind::Mod);
  EXPECT_EQ(getKind("%as"), AffineExprKind::SymbolId);
}

TEST_F(AffineFormTest, ABranchThatDiffersByAScalarIsUniform) {
  parse(std::string(block) + R"(
  %cond = arith.cmpi slt, %a, %n : i32
  %r = scf.if %cond -> (tensor<8xi32>) {
    %z = arith.addi %x, %as : tensor<8xi32>
    scf.yield %z : tensor<8xi32>
  } else {
    scf.yield %x : tensor<8xi32>
  })");
  AffineAnalysis::Split parts = forms->split(forms->getForm(getLast()).expr);
  EXPECT_EQ(parts.varying, getAffineDimExpr(0, &context));
}

// Programs of a few operations on what came before.
TEST_F(AffineFormTest, RandomProgramsAgree) {
  std::mt19937 random(5);
  auto pick = [&](size_t count) { return random() % count; };
  const char *operations[] = {"addi",  "subi",  "muli", "divsi", "remsi",
                              "minsi", "maxsi", "andi", "ori"};
  for (int round = 0; round < 150; ++round) {
    std::string body = block;
    SmallVector<std::string> names = {"%x", "%i", "%as", "%ns", "%c3", "%c4"};
    for (int line = 0; line < 6; ++line) {
      std::string operation = operations[pick(std::size(operations))];
      bool divides = operation == "divsi" || operation == "remsi";
      // Products of variables would overflow before long.
      bool isUniform = divides || operation == "muli";
      const char *scalars[] = {"%ns", "%c3", "%c4"};
      std::string rhs =
          isUniform ? scalars[pick(3)] : names[pick(names.size())];
      std::string name = "%v" + std::to_string(line);
      body += "  " + name + " = arith." + operation + " " +
              names[pick(names.size())] + ", " + rhs + " : tensor<8xi32>\n";
      names.push_back(name);
    }
    parse(body + "  %r = tt.reshape %v5 : tensor<8xi32> -> tensor<4x2xi32>\n");
    check();
  }
}

} // namespace
