//===- PhasesTest.cpp - What runs from phase to phase ---------------------===//

#include "triton-shared/Pipelines/Phases.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "triton-shared/InitAll.h"
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

} // namespace
