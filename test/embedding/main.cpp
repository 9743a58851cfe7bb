//===- main.cpp - A program that embeds triton-shared ---------------------===//
//
// Lowers one kernel, held as a string, to linalg and memref. Both consumers of
// this folder are this program.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "triton-shared/InitAll.h"
#include "llvm/Support/raw_ostream.h"

static const char *const kernel = R"(
tt.func @double(%p: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %b, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %x = tt.load %q : tensor<8x!tt.ptr<f32>>
  %y = arith.addf %x, %x : tensor<8xf32>
  tt.store %q, %y : tensor<8x!tt.ptr<f32>>
  tt.return
})";

int main() {
  mlir::DialectRegistry registry;
  mlir::triton_shared::registerAllDialects(registry);
  mlir::triton_shared::registerAllPasses();

  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kernel, &context);
  mlir::PassManager passes(&context);
  if (!module || failed(mlir::parsePassPipeline("triton-to-linalg", passes)) ||
      failed(passes.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
