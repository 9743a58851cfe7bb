//===- PhasesTest.cpp - What runs from phase to phase ---------------------===//

#include "triton-shared/Pipelines/Phases.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "triton-shared/InitAll.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr StringLiteral kKernel = R"(
  tt.func public @kernel(%p: !tt.ptr<f32>) {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %p, %x : !tt.ptr<f32>
    tt.return
  }
)";

/// Leaves a module that does not verify.
struct BreakModule : PassWrapper<BreakModule, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakModule)

  void runOnOperation() override {
    getOperation()->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                            UnitAttr::get(&getContext()));
  }
};

/// A context with all dialects.
class PhasesTest : public testing::Test {
protected:
  PhasesTest() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }

  /// Runs the phases of `kernel` up to `last`, then, with a pass in it that
  /// breaks the module, the next one, which ends where it breaks.
  void breakPhaseAfter(StringRef kernel, Phase last, Phase next) {
    auto module = parseSourceString<ModuleOp>(kernel, ParserConfig(&context));
    ASSERT_TRUE(module);
    std::string message;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
    int reached = 0;
    auto count = [&](Phase, ModuleOp) { return ++reached, success(); };
    EXPECT_TRUE(succeeded(runToPhase(*module, last, {}, count)));
    int before = reached;
    auto breakModule = [](PassManager &manager) {
      manager.addPass(std::make_unique<BreakModule>());
      return success();
    };
    EXPECT_TRUE(failed(runToPhase(*module, next, {}, count, breakModule)));
    EXPECT_EQ(reached, before);
    EXPECT_NE(message.find("llvm.data_layout"), std::string::npos) << message;
  }

  MLIRContext context;

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }
};

TEST_F(PhasesTest, PhaseEndsVerified) {
  breakPhaseAfter(kKernel, Phase::Structured, Phase::Linalg);
}

/// A kernel of so many operations that phases lay them out anew.
std::string writeLongKernel() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "tt.func public @kernel(%p: !tt.ptr<f32>) {\n"
            "  %0 = tt.load %p : !tt.ptr<f32>\n";
  for (int k = 1; k <= 9000; ++k)
    stream << "  %" << k << " = arith.addf %" << k - 1 << ", %0 : f32\n";
  stream << "  tt.store %p, %9000 : !tt.ptr<f32>\n"
            "  tt.return\n}\n";
  return text;
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

TEST_F(PhasesTest, LongKernelsBecomeWhatPassesMakeOfThem) {
  std::string kernel = writeLongKernel();
  ParserConfig config(&context);
  auto module = parseSourceString<ModuleOp>(kernel, config);
  auto expected = parseSourceString<ModuleOp>(kernel, config);
  ASSERT_TRUE(module && expected);
  (*module)->setAttr("test.kept", UnitAttr::get(&context));
  (*expected)->setAttr("test.kept", UnitAttr::get(&context));
  std::vector<Phase> reached;
  auto note = [&](Phase phase, ModuleOp) {
    reached.push_back(phase);
    return success();
  };
  ASSERT_TRUE(succeeded(runToPhase(*module, Phase::MemRef, {}, note)));
  for (Phase phase :
       {Phase::Ttir, Phase::Structured, Phase::Linalg, Phase::MemRef}) {
    PassManager manager(&context);
    buildPhase(manager, phase, {});
    ASSERT_TRUE(succeeded(manager.run(*expected)));
  }
  EXPECT_EQ(reached, std::vector<Phase>({Phase::Ttir, Phase::Structured,
                                         Phase::Linalg, Phase::MemRef}));
  // No EXPECT_EQ, which would print both.
  EXPECT_TRUE(print(*module) == print(*expected));
}

/// Notes how many operations each module has that is lowered.
struct CountOperations : PassWrapper<CountOperations, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountOperations)

  explicit CountOperations(std::vector<int> &counts) : counts(counts) {}

  void runOnOperation() override {
    counts.push_back(0);
    getOperation().walk([&](Operation *) { ++counts.back(); });
  }

  std::vector<int> &counts;
};

TEST_F(PhasesTest, PiecesOfLongKernelsAreLoweredAFewAtATime) {
  std::string kernel = writeLongKernel();
  ParserConfig config(&context);
  auto module = parseSourceString<ModuleOp>(kernel, config);
  auto expected = parseSourceString<ModuleOp>(kernel, config);
  ASSERT_TRUE(module && expected);
  for (ModuleOp one : {*module, *expected}) {
    one->setAttr("test.kept", UnitAttr::get(&context));
    ASSERT_TRUE(succeeded(runToPhase(one, Phase::MemRef)));
  }
  std::vector<int> counts, whole;
  auto countIn = [](std::vector<int> &counts) {
    return [&counts](PassManager &manager) {
      manager.addPass(std::make_unique<CountOperations>(counts));
      return success();
    };
  };
  ASSERT_TRUE(succeeded(
      runToPhase(*module, Phase::Llir, {}, nullptr, countIn(counts))));
  ASSERT_TRUE(succeeded(runToPhase(*expected, Phase::Llir, {}, nullptr,
                                   countIn(whole), /*keepsWhole=*/true)));
  EXPECT_EQ(whole.size(), 1U);
  // The module first, then its parts.
  ASSERT_GT(counts.size(), 2U);
  EXPECT_GT(counts.front(), 9000);
  for (int count : ArrayRef(counts).drop_front())
    EXPECT_LE(count, 8192 + 1);
  EXPECT_TRUE(print(*module) == print(*expected));
}

TEST_F(PhasesTest, LongKernelsFailInTheirPhase) {
  breakPhaseAfter(writeLongKernel(), Phase::Ttir, Phase::Structured);
}

} // namespace
