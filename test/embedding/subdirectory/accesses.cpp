//===- accesses.cpp - A compiler that wants its memory accesses as data ---===//
//
// Uses one library of triton-shared, and the `tt` of the tree that holds both.
//
//===----------------------------------------------------------------------===//

#include "../kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "triton-shared/Conversion/Passes.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/Support/raw_ostream.h"

int main() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::triton::TritonDialect, mlir::tts::TTSDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kernel, &context);
  mlir::PassManager passes(&context);
  passes.addPass(mlir::triton_shared::createTritonPointersToStructured());
  if (!module || failed(passes.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
