//===- main.cpp - The program triton-shared-opt ---------------------------===//

#include "../ToolMains.h"

#include "mlir/InitAllPasses.h"

int main(int argc, char **argv) {
  // As mlir-opt has them: who takes over may go on in the same command. They
  // need code for all targets, which wheels do not have.
  mlir::registerAllPasses();
  return tritonSharedOptMain(argc, argv);
}
