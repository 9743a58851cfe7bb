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

TEST(PhasesTest, PhaseEndsVerified) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kKernel, &context);
  ASSERT_TRUE(module);
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  int reached = 0;
  auto count = [&](Phase, ModuleOp) { return ++reached, success(); };
  EXPECT_TRUE(succeeded(runToPhase(*module, Phase::Structured, {}, count)));
  EXPECT_EQ(reached, 2);
  auto breakModule = [](PassManager &manager) {
    manager.addPass(std::make_unique<BreakModule>());
    return success();
  };
  EXPECT_TRUE(
      failed(runToPhase(*module, Phase::Linalg, {}, count, breakModule)));
  EXPECT_EQ(reached, 2);
  EXPECT_NE(message.find("llvm.data_layout"), std::string::npos) << message;
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

TEST(PhasesTest, LongKernelsBecomeWhatPassesMakeOfThem) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
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

TEST(PhasesTest, LongKernelsFailInTheirPhase) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module =
      parseSourceString<ModuleOp>(writeLongKernel(), ParserConfig(&context));
  ASSERT_TRUE(module);
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  int reached = 0;
  auto count = [&](Phase, ModuleOp) { return ++reached, success(); };
  auto breakModule = [&](PassManager &manager) {
    if (reached == 1)
      manager.addPass(std::make_unique<BreakModule>());
    return success();
  };
  EXPECT_TRUE(
      failed(runToPhase(*module, Phase::Linalg, {}, count, breakModule)));
  EXPECT_EQ(reached, 1);
  EXPECT_NE(message.find("llvm.data_layout"), std::string::npos) << message;
}

} // namespace
