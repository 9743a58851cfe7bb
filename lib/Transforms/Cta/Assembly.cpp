//===- Assembly.cpp - Kernels that hold assembly --------------------------===//

#include "Assembly.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

bool triton_shared::hasAssembly(func::FuncOp function) {
  return function
      .walk([](LLVM::InlineAsmOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}
