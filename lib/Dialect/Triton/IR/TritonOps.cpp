//===- TritonOps.cpp - The generated part of the operations ---------------===//

#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
namespace tt = mlir::triton;

#define GET_OP_CLASSES
#include "triton-shared/Dialect/Triton/IR/TritonOps.cpp.inc"

void tt::TritonDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "triton-shared/Dialect/Triton/IR/TritonOps.cpp.inc"
      >();
}
