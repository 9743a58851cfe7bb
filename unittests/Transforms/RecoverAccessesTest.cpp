//===- RecoverAccessesTest.cpp - The same accesses before and after -------===//
//
// Runs kernels before and after `structured-recover-accesses` and compares
// every address, every predicate and every stored value.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/DebugStringHelper.h"
#include "mlir/Transforms/Passes.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

class RecoverAccessesTest : public ::testing::Test {
protected:
  /// Checks `body` and returns how many gathers and scatters are left.
  int64_t recover(const std::string &body) {
    OwningOpRef<ModuleOp> before = parseKernel(context, body);
    EXPECT_TRUE(before) << body;
    OwningOpRef<ModuleOp> after(before->clone());
    PassManager manager(&context);
    manager.addPass(createStructuredRecoverAccesses());
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    EXPECT_TRUE(succeeded(manager.run(*after)));
    for (int64_t programId : {0, 1, 3})
      for (int64_t a : {-2, 0, 1, 5})
        for (int64_t n : {1, 3, 9, 40}) {
          Interpreter expected(&before->getBody()->front(), {1000, a, 2, n},
                               programId);
          Interpreter actual(&after->getBody()->front(), {1000, a, 2, n},
                             programId);
          EXPECT_TRUE(expected.trace == actual.trace)
              << body << "becomes\n"
              << debugString(*after) << "for " << programId << " " << a << " "
              << n;
        }
    int64_t left = 0;
    after->walk([&](Operation *op) {
      auto access = dyn_cast<tts::AccessOpInterface>(op);
      left += access && access.hasOffsetPerElement();
      if (auto loop = dyn_cast<scf::ForOp>(op))
        carriesTensors |= llvm::any_of(loop.getResultTypes(), [](Type type) {
          return isa<RankedTensorType>(type);
        });
    });
    return left;
  }

  bool carriesTensors = false;
  MLIRContext context;
};

const char *block = R"(
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %j = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %pid = tt.get_program_id x : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.muli %pid, %c8 : i32
  %starts = tt.splat %start : i32 -> tensor<8xi32>
  %x = arith.addi %starts, %i : tensor<8xi32>
  %as = tt.splat %a : i32 -> tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %c2 = arith.constant dense<2> : tensor<8xi32>
  %c3 = arith.constant dense<3> : tensor<8xi32>
  %cond = arith.cmpi slt, %a, %n : i32
  %e = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %idx = tts.gather %p[%e] : !tt.ptr<i32>, tensor<8xi64> -> tensor<8xi32>
  tts.scatter %idx to %p[%e] : tensor<8xi32>, !tt.ptr<i32>, tensor<8xi64>
  %nine = arith.constant dense<9> : tensor<8xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<8xi32>
)";

/// A masked load of `%name : tensor<8xi32>` and a store of what was read.
std::string access(const std::string &name) {
  std::string id = name.substr(1);
  return "  %o_" + id + " = arith.extsi " + name +
         " : tensor<8xi32> to tensor<8xi64>\n  %l_" + id +
         " = tts.gather %p[%o_" + id +
         "] mask %m : tensor<8xi1> other %nine : tensor<8xi32> : !tt.ptr<i32>, "
         "tensor<8xi64> -> tensor<8xi32>\n  tts.scatter %l_" +
         id + " to %p[%o_" + id +
         "] : tensor<8xi32>, !tt.ptr<i32>, tensor<8xi64>\n";
}

/// Rows given by `%name`, scaled, with columns next to each other.
std::string accessRows(const std::string &name) {
  return "  %q0 = tt.expand_dims " + name +
         R"( {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %q1 = tt.splat %a : i32 -> tensor<8x1xi32>
  %q2 = arith.muli %q0, %q1 : tensor<8x1xi32>
  %q3 = tt.broadcast %q2 : tensor<8x1xi32> -> tensor<8x4xi32>
  %q4 = tt.expand_dims %j {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %q5 = tt.broadcast %q4 : tensor<1x4xi32> -> tensor<8x4xi32>
  %q6 = arith.addi %q3, %q5 : tensor<8x4xi32>
  %q7 = arith.extsi %q6 : tensor<8x4xi32> to tensor<8x4xi64>
  %q8 = tt.splat %n : i32 -> tensor<1x4xi32>
  %q9 = arith.cmpi slt, %q4, %q8 : tensor<1x4xi32>
  %qa = tt.broadcast %q9 : tensor<1x4xi1> -> tensor<8x4xi1>
  %qb = tt.expand_dims %m {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>
  %qc = tt.broadcast %qb : tensor<8x1xi1> -> tensor<8x4xi1>
  %qd = arith.andi %qa, %qc : tensor<8x4xi1>
  %qe = tts.gather %p[%q7] mask %qd : tensor<8x4xi1> : !tt.ptr<i32>, tensor<8x4xi64> -> tensor<8x4xi32>
  tts.scatter %qe to %p[%q7] mask %qd : tensor<8x4xi1> : tensor<8x4xi32>, !tt.ptr<i32>, tensor<8x4xi64>
)";
}

TEST_F(RecoverAccessesTest, StridedAndWrappedBlocks) {
  EXPECT_EQ(recover(block + access("%x")), 0);
  EXPECT_EQ(recover(std::string(block) +
                    "  %y = arith.muli %x, %as : tensor<8xi32>\n" +
                    access("%y")),
            0);
  // Wraps once, often, or not at all.
  EXPECT_EQ(recover(std::string(block) +
                    "  %y = arith.remsi %x, %ns : tensor<8xi32>\n" +
                    access("%y")),
            0);
}

TEST_F(RecoverAccessesTest, RowsOfEveryKind) {
  EXPECT_EQ(recover(block + accessRows("%x")), 0);
  EXPECT_EQ(recover(block + accessRows("%starts")), 0);
  EXPECT_EQ(recover(block + accessRows("%idx")), 0);
  for (const char *rows :
       {"arith.remsi %x, %ns", "arith.divsi %x, %ns", "arith.divsi %x, %c3",
        "arith.minsi %x, %ns", "arith.remsi %as, %ns", "arith.muli %x, %x"})
    EXPECT_EQ(recover(std::string(block) + "  %y = " + rows +
                      " : tensor<8xi32>\n" + accessRows("%y")),
              0)
        << rows;
}

// A line in each of two or three dimensions.
TEST_F(RecoverAccessesTest, FlattenedIndices) {
  for (const char *lines : {"  %q = arith.divsi %x, %c2 : tensor<8xi32>\n"
                            "  %y = arith.remsi %x, %c2 : tensor<8xi32>\n",
                            "  %c4 = arith.constant dense<4> : tensor<8xi32>\n"
                            "  %h = arith.divsi %x, %c2 : tensor<8xi32>\n"
                            "  %q = arith.remsi %h, %c2 : tensor<8xi32>\n"
                            "  %y = arith.divsi %x, %c4 : tensor<8xi32>\n"}) {
    EXPECT_EQ(recover(std::string(block) + lines +
                      "  %w = arith.muli %q, %as : tensor<8xi32>\n"
                      "  %z = arith.addi %w, %y : tensor<8xi32>\n" +
                      access("%z")),
              0)
        << lines;
  }
}

TEST_F(RecoverAccessesTest, OffsetsThatALoopMovesBecomeScalars) {
  EXPECT_EQ(recover(std::string(block) + R"(
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%y = %x, %s = %zero) -> (tensor<8xi32>, i32) : i32 {
)" + access("%y") + R"(
    %w = arith.addi %y, %as : tensor<8xi32>
    %s1 = arith.addi %s, %k : i32
    %t = tt.splat %s1 : i32 -> tensor<8xi32>
    %w1 = arith.addi %w, %t : tensor<8xi32>
    scf.yield %w1, %s1 : tensor<8xi32>, i32
  }
  %last = arith.addi %r#0, %c2 : tensor<8xi32>
)" + access("%last")),
            0);
  EXPECT_FALSE(carriesTensors);
}

TEST_F(RecoverAccessesTest, NestedLoopsAndBranches) {
  EXPECT_EQ(recover(std::string(block) + R"(
  %r = scf.for %k = %zero to %n step %one iter_args(%y = %x) -> (tensor<8xi32>) : i32 {
    %u = scf.for %h = %zero to %k step %one iter_args(%z = %y) -> (tensor<8xi32>) : i32 {
)" + access("%z") + R"(
      %z1 = arith.addi %z, %c2 : tensor<8xi32>
      scf.yield %z1 : tensor<8xi32>
    }
    %v = scf.if %cond -> (tensor<8xi32>) {
      %v1 = arith.addi %u, %as : tensor<8xi32>
      scf.yield %v1 : tensor<8xi32>
    } else {
      scf.yield %y : tensor<8xi32>
    }
)" + access("%v") + R"(
    scf.yield %v : tensor<8xi32>
  }
)"),
            0);
  EXPECT_FALSE(carriesTensors);
}

TEST_F(RecoverAccessesTest, WhileLoops) {
  EXPECT_EQ(recover(std::string(block) + R"(
  %r:2 = scf.while (%y = %x, %k = %zero) : (tensor<8xi32>, i32) -> (i32, tensor<8xi32>) {
    %c = arith.cmpi slt, %k, %n : i32
    %y1 = arith.addi %y, %c3 : tensor<8xi32>
    scf.condition(%c) %k, %y1 : i32, tensor<8xi32>
  } do {
  ^bb0(%k: i32, %z: tensor<8xi32>):
)" + access("%z") + R"(
    %k1 = arith.addi %k, %one : i32
    %z1 = arith.addi %z, %as : tensor<8xi32>
    scf.yield %z1, %k1 : tensor<8xi32>, i32
  }
  %last = arith.addi %r#1, %c2 : tensor<8xi32>
)" + access("%last")),
            0);
}

// Data that goes through a loop is not touched.
TEST_F(RecoverAccessesTest, CarriedDataStays) {
  EXPECT_EQ(recover(std::string(block) + R"(
  %r = scf.for %k = %zero to %n step %one iter_args(%y = %x) -> (tensor<8xi32>) : i32 {
)" + access("%y") + R"(
    %w = arith.addi %y, %c2 : tensor<8xi32>
    scf.yield %w : tensor<8xi32>
  }
  tts.scatter %r to %p[%e] : tensor<8xi32>, !tt.ptr<i32>, tensor<8xi64>
)"),
            0);
  EXPECT_TRUE(carriesTensors);
}

TEST_F(RecoverAccessesTest, RandomOffsetsAndMasksAgree) {
  std::mt19937 random(11);
  auto pick = [&](size_t count) { return random() % count; };
  const char *operations[] = {"addi",  "subi",  "muli", "divsi",
                              "remsi", "minsi", "andi", "ori"};
  for (int round = 0; round < 80; ++round) {
    std::string body = block;
    SmallVector<std::string> names = {"%x", "%i", "%as", "%ns", "%c3", "%idx"};
    auto addLines = [&](std::string prefix, int count) {
      for (int line = 0; line < count; ++line) {
        std::string operation = operations[pick(std::size(operations))];
        bool divides = operation == "divsi" || operation == "remsi";
        bool isUniform = divides || operation == "muli";
        const char *scalars[] = {"%ns", "%c2", "%c3"};
        std::string rhs =
            isUniform ? scalars[pick(3)] : names[pick(names.size())];
        std::string name = "%" + prefix + std::to_string(line);
        body += "  " + name + " = arith." + operation + " " +
                names[pick(names.size())] + ", " + rhs + " : tensor<8xi32>\n";
        names.push_back(name);
      }
    };
    addLines("u", 3);
    std::string init = names[pick(names.size())];
    body += "  %r = scf.for %k = %zero to %n step %one iter_args(%y = " + init +
            ") -> (tensor<8xi32>) : i32 {\n"
            "  %ks = tt.splat %k : i32 -> tensor<8xi32>\n"
            "  %m9 = arith.cmpi sge, %ks, %y : tensor<8xi32>\n";
    size_t outside = names.size();
    names.push_back("%y");
    names.push_back("%ks");
    addLines("v", 2);
    body += access(names.back());
    const char *steps[] = {"%as", "%c3", "%ks"};
    body += "  %w = arith.addi %y, " + std::string(steps[pick(3)]) +
            " : tensor<8xi32>\n  scf.yield %w : tensor<8xi32>\n  }\n";
    names.truncate(outside);
    names.push_back("%r");
    addLines("w", 2);
    std::string rows = names.back();
    recover(body + access("%w0") + accessRows(rows));
  }
}

} // namespace
