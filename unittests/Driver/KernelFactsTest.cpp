//===- KernelFactsTest.cpp - Unit tests of what a launcher is told --------===//

#include "triton-shared/Driver/KernelFacts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

TEST(KernelFactsTest, FactsOutliveTheContextOfTheModule) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, tts::TTSDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "func.func @sum(%x: memref<*xf32>, %gx: i32, %gy: i32, %gz: i32, "
      "%px: i32, %py: i32, %pz: i32) { return }",
      &context);
  ASSERT_TRUE(module);
  FunctionOpInterface kernel = findKernel(*module);
  ASSERT_TRUE(kernel);
  llvm::json::Object facts = describeKernel(kernel, CompileTarget());
  StringRef name = *facts.getString("name");
  EXPECT_EQ(name, "sum");
  EXPECT_NE(name.data(), kernel.getName().data());
}

} // namespace
