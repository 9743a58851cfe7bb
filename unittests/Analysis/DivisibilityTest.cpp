//===- DivisibilityTest.cpp - Unit tests of the divisibility analysis -----===//
//
// Runs small kernels on arguments that keep the promise of their hints: every
// number that occurs is a multiple of what the analysis says. What it must find
// is said besides, so that a claim of nothing does not pass.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Analysis/Divisibility.h"

#include "Interpreter.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr int64_t kLimit = 1 << 20;

class DivisibilityTest : public ::testing::Test {
protected:
  /// Analyses `body`, with `a` a multiple of 16 and `n` one of 4, and returns
  /// what is known of the last value of type i32 or i64 at its end.
  int64_t analyze(const std::string &body) {
    OwningOpRef<ModuleOp> module = parseKernel(context, body);
    EXPECT_TRUE(module) << body;
    if (!module)
      return 0;
    auto function = cast<FunctionOpInterface>(module->getBody()->front());
    Builder builder(&context);
    function.setArgAttr(1, "tt.divisibility", builder.getI32IntegerAttr(16));
    function.setArgAttr(3, "tt.divisibility", builder.getI32IntegerAttr(4));
    DataFlowSolver solver;
    EXPECT_TRUE(succeeded(runDivisibilityAnalysis(solver, *module)));
    for (int64_t a : {-48, 0, 16, 1 << 28})
      for (int64_t b : {-3, 1, 6})
        for (int64_t n : {4, 12, 20})
          expectMultiples(solver, function, {1000, a, b, n});
    Block &block = function.getFunctionBody().front();
    Value last;
    for (Operation &op : block.without_terminator())
      for (Value result : op.getResults())
        if (result.getType().isInteger(32) || result.getType().isInteger(64))
          last = result;
    return getKnownDivisor(solver, last, kLimit);
  }

private:
  void expectMultiples(const DataFlowSolver &solver,
                       FunctionOpInterface function,
                       ArrayRef<int64_t> arguments) {
    Interpreter run(function, arguments, /*programId=*/3);
    auto check = [&](Value value) {
      if (!getElementTypeOrSelf(value.getType()).isIntOrIndex())
        return;
      int64_t divisor = getKnownDivisor(solver, value, kLimit);
      for (int64_t element : run.get(value))
        EXPECT_EQ(element % divisor, 0) << debugString(value);
    };
    function.getFunctionBody().walk([&](Operation *op) {
      llvm::for_each(op->getResults(), check);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), check);
    });
  }

  MLIRContext context;
};

TEST_F(DivisibilityTest, HintsFlowThroughSumsAndProducts) {
  EXPECT_EQ(analyze("%x = arith.addi %a, %n : i32"), 4);
  EXPECT_EQ(analyze("%x = arith.subi %n, %a : i32"), 4);
  EXPECT_EQ(analyze("%x = arith.muli %a, %n : i32"), 64);
  EXPECT_EQ(analyze("%x = arith.muli %a, %b : i32"), 16);
  EXPECT_EQ(analyze("%x = arith.addi %a, %b : i32"), 1);
}

TEST_F(DivisibilityTest, ConstantsAreWhatTheyAre) {
  EXPECT_EQ(analyze("%x = arith.constant 48 : i32"), 16);
  EXPECT_EQ(analyze("%x = arith.constant -8 : i32"), 8);
  EXPECT_EQ(analyze("%x = arith.constant 7 : i32"), 1);
  EXPECT_EQ(analyze("%x = arith.constant 0 : i32"), kLimit);
}

TEST_F(DivisibilityTest, ShiftsAndDivisionsMoveThePower) {
  EXPECT_EQ(analyze("%c = arith.constant 3 : i32\n"
                    "%x = arith.shli %n, %c : i32"),
            32);
  EXPECT_EQ(analyze("%x = arith.shli %a, %n : i32"), 16);
  EXPECT_EQ(analyze("%c = arith.constant 8 : i32\n"
                    "%x = arith.divsi %a, %c : i32"),
            2);
  EXPECT_EQ(analyze("%c = arith.constant 12 : i32\n"
                    "%x = arith.divsi %a, %c : i32"),
            1);
  EXPECT_EQ(analyze("%c = arith.constant 64 : i32\n"
                    "%x = arith.divui %a, %c : i32"),
            1);
  EXPECT_EQ(analyze("%c = arith.constant 2 : i32\n"
                    "%x = arith.shrsi %a, %c : i32"),
            4);
  EXPECT_EQ(analyze("%c = arith.constant 3 : i32\n"
                    "%x = arith.shrui %a, %c : i32"),
            2);
  EXPECT_EQ(analyze("%c = arith.constant 5 : i32\n"
                    "%x = arith.shrsi %a, %c : i32"),
            1);
}

TEST_F(DivisibilityTest, RemaindersAreMultiplesOfWhatDividesBoth) {
  EXPECT_EQ(analyze("%x = arith.remsi %a, %n : i32"), 4);
  EXPECT_EQ(analyze("%c = arith.constant 32 : i32\n"
                    "%x = arith.remui %a, %c : i32"),
            16);
}

TEST_F(DivisibilityTest, BitsThatAreZeroOnOneSideAreZeroInTheConjunction) {
  EXPECT_EQ(analyze("%x = arith.andi %a, %b : i32"), 16);
  EXPECT_EQ(analyze("%c = arith.constant -32 : i32\n"
                    "%x = arith.andi %b, %c : i32"),
            32);
  EXPECT_EQ(analyze("%x = arith.ori %a, %n : i32"), 4);
  EXPECT_EQ(analyze("%x = arith.xori %a, %n : i32"), 4);
}

TEST_F(DivisibilityTest, WidthsDoNotMatter) {
  EXPECT_EQ(analyze("%x = arith.extsi %a : i32 to i64"), 16);
  EXPECT_EQ(analyze("%w = arith.extui %a : i32 to i64\n"
                    "%x = arith.trunci %w : i64 to i32"),
            16);
  // The product wraps; what divides a power of two still divides it.
  EXPECT_EQ(analyze("%c = arith.constant 16777216 : i32\n"
                    "%y = arith.muli %a, %c : i32\n"
                    "%x = arith.extsi %y : i32 to i64"),
            kLimit);
}

TEST_F(DivisibilityTest, ChoicesAreMultiplesOfWhatDividesBoth) {
  EXPECT_EQ(analyze("%t = arith.cmpi slt, %b, %n : i32\n"
                    "%x = arith.select %t, %a, %n : i32"),
            4);
  EXPECT_EQ(analyze("%x = arith.minsi %a, %n : i32"), 4);
  EXPECT_EQ(analyze("%t = arith.cmpi slt, %b, %n : i32\n"
                    "%c = arith.constant 24 : i32\n"
                    "%x = scf.if %t -> i32 {\n"
                    "  scf.yield %a : i32\n"
                    "} else {\n"
                    "  scf.yield %c : i32\n"
                    "}"),
            8);
}

// What a variable starts from and what is added to it decide together, also
// where the loop changes its mind later.
TEST_F(DivisibilityTest, LoopVariablesKeepWhatEveryTurnKeeps) {
  const std::string loop = R"(
    %zero = arith.constant 0 : i32
    %step = arith.constant STEP : i32
    %end = arith.constant 64 : i32
    %r:2 = scf.for %k = %zero to %end step %step iter_args(%u = %a, %v = %zero) -> (i32, i32) : i32 {
      %u1 = arith.addi %u, %k : i32
      %v1 = arith.addi %v, %n : i32
      scf.yield %u1, %v1 : i32, i32
    })";
  auto with = [&](const std::string &step, const std::string &last) {
    std::string body = loop;
    body.replace(body.find("STEP"), 4, step);
    return analyze(body + "\n%x = arith.addi " + last + ", %zero : i32");
  };
  EXPECT_EQ(with("16", "%r#0"), 16);
  EXPECT_EQ(with("8", "%r#0"), 8);
  EXPECT_EQ(with("32", "%r#1"), 4);
}

TEST_F(DivisibilityTest, AVariableThatIsNotAddedToIsUnknown) {
  EXPECT_EQ(analyze(R"(
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %u = scf.for %k = %zero to %two step %one iter_args(%v = %a) -> (i32) : i32 {
      %h = arith.shrsi %v, %one : i32
      scf.yield %h : i32
    })"),
            1);
}

TEST_F(DivisibilityTest, ProgramIdsAreUnknownUntilTheyAreScaled) {
  EXPECT_EQ(analyze("%x = tt.get_program_id x : i32"), 1);
  EXPECT_EQ(analyze("%id = tt.get_program_id x : i32\n"
                    "%c = arith.constant 128 : i32\n"
                    "%x = arith.muli %id, %c : i32"),
            128);
}

} // namespace
