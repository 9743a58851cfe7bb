//===- triton-shared-lsp.cpp - The language server for editors ------------===//
//
// MLIR's server with the dialects of this project: hover, go to definition and
// errors in files of every phase.
//
//===----------------------------------------------------------------------===//

#include "../ToolMains.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "triton-shared/InitAll.h"

int tritonSharedLspMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::triton_shared::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
