//===- main.cpp - A program that embeds triton-shared ---------------------===//
//
// Lowers one kernel, held as a string, to linalg and memref. All consumers of
// this folder but two are this program.
//
//===----------------------------------------------------------------------===//

#include "kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "triton-shared/InitAll.h"
#include "llvm/Support/raw_ostream.h"

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
