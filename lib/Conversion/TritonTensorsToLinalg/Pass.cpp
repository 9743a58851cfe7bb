//===- Pass.cpp - triton-tensors-to-linalg --------------------------------===//
//
// One partial conversion with the patterns of every topic. What no pattern
// takes stays, and is reported afterwards in the words of the kernel's author.
//
//===----------------------------------------------------------------------===//

#include "Unsupported.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Transforms/SizeChecks.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONTENSORSTOLINALG
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

struct TritonTensorsToLinalg
    : triton_shared::impl::TritonTensorsToLinalgBase<TritonTensorsToLinalg> {
  using TritonTensorsToLinalgBase::TritonTensorsToLinalgBase;

  void runOnOperation() override {
    if (failed(reportUnsupported(getOperation(), keepsAssembly)))
      return signalPassFailure();

    TypeConverter types;
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    addPointerConversion(types);
    populateTritonTensorsToLinalgProgram(
        types, patterns, target,
        {keepsBarriers, keepsProgramIds, keepsFunctions, assertsToCf});
    if (assertsToCf) {
      populateTritonTensorsToLinalgAssertsToCf(patterns);
      target.addLegalDialect<cf::ControlFlowDialect>();
    }
    for (auto populate :
         {populateTritonTensorsToLinalgElementwise,
          populateTritonTensorsToLinalgViews,
          populateTritonTensorsToLinalgCasts,
          populateTritonTensorsToLinalgMessages,
          populateTritonTensorsToLinalgExtern, populateTritonTensorsToLinalgDot,
          populateTritonTensorsToLinalgDotScaled,
          populateTritonTensorsToLinalgReduce,
          populateTritonTensorsToLinalgScan,
          populateTritonTensorsToLinalgHistogram,
          populateTritonTensorsToLinalgGather,
          populateTritonTensorsToLinalgMapElementwise,
          populateTritonTensorsToLinalgJoinSplit})
      populate(patterns, target);
    populateTritonTensorsToLinalgInlineAssembly(patterns, target,
                                                keepsAssembly);

    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))) ||
        failed(reportLeftovers(getOperation(), [&](Operation *op) {
          return (keepsFunctions && isa<tt::FuncOp, tt::ReturnOp>(op)) ||
                 (keepsProgramIds &&
                  isa<tt::GetProgramIdOp, tt::GetNumProgramsOp>(op));
        })))
      return signalPassFailure();
    if (assertsToCf)
      checkMarkedSizes(getOperation(), [](OpBuilder &builder, Location loc,
                                          Value holds, StringRef message) {
        cf::AssertOp::create(builder, loc, holds, message);
      });
  }
};

} // namespace
