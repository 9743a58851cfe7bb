//===- own-opt.cpp - An opt tool with a dialect of its own ----------------===//

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "triton-shared/Analysis/AffineIndexInterface.h"
#include "triton-shared/InitAll.h"

#include "OwnDialect.h.inc"
#define GET_OP_CLASSES
#include "Own.h.inc"

#include "OwnDialect.cpp.inc"
#define GET_OP_CLASSES
#include "Own.cpp.inc"

void own::OwnDialect::initialize() { addOperations<own::StrideOp>(); }

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::triton_shared::registerAllDialects(registry);
  mlir::triton_shared::registerAllPasses();
  registry.insert<own::OwnDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "own opt tool\n", registry));
}
