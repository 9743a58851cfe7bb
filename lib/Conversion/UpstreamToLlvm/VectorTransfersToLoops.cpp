//===- VectorTransfersToLoops.cpp - vector-transfers-to-loops -------------===//

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "triton-shared/Conversion/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_VECTORTRANSFERSTOLOOPS
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// True if one load or store does it.
static bool isInOnePiece(VectorTransferOpInterface access) {
  auto memory = dyn_cast<MemRefType>(access.getShapedType());
  return access.getVectorType().getRank() == 1 && memory &&
         memory.isLastDimUnitStride() &&
         access.getPermutationMap().isMinorIdentity();
}

namespace {

struct VectorTransfersToLoops
    : triton_shared::impl::VectorTransfersToLoopsBase<VectorTransfersToLoops> {
  void runOnOperation() override {
    bool isNeeded = getOperation()
                        .walk([](VectorTransferOpInterface access) {
                          return isInOnePiece(access) ? WalkResult::advance()
                                                      : WalkResult::interrupt();
                        })
                        .wasInterrupted();
    if (!isNeeded)
      return;
    OpPassManager upstream(ModuleOp::getOperationName());
    upstream.addPass(createConvertVectorToSCFPass());
    if (failed(runPipeline(upstream, getOperation())))
      signalPassFailure();
  }
};

} // namespace
