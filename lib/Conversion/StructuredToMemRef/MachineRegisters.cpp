//===- MachineRegisters.cpp - What a CPU has for them ---------------------===//
//
// Clocks count nanoseconds, a logical CPU is a multiprocessor. The runtime
// knows both.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;
using tts::MachineRegister;

namespace {

/// The function of the runtime that knows it.
StringRef getFunction(MachineRegister name) {
  switch (name) {
  case MachineRegister::Processor:
    return "tritonSharedProcessorNumber";
  case MachineRegister::ProcessorCount:
    return "tritonSharedProcessorCount";
  default:
    return "tritonSharedClockNanoseconds";
  }
}

struct LowerReadMachine : OpRewritePattern<tts::ReadMachineOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::ReadMachineOp op,
                                PatternRewriter &rewriter) const override {
    MachineRegister name = op.getName();
    if (tts::isOfThread(name))
      return rewriter.notifyMatchFailure(op, "tells threads apart");
    Location loc = op.getLoc();
    func::FuncOp function = declareRuntimeFunction(
        rewriter, op, getFunction(name), {}, rewriter.getI64Type());
    Value value = func::CallOp::create(rewriter, loc, function).getResult(0);
    if (name == MachineRegister::ClockHigh ||
        name == MachineRegister::TimerHigh) {
      Value places =
          arith::ConstantIntOp::create(rewriter, loc, value.getType(), 32);
      value = arith::ShRUIOp::create(rewriter, loc, value, places);
    }
    Type type = getElementTypeOrSelf(op.getType());
    if (type != value.getType())
      value = arith::TruncIOp::create(rewriter, loc, type, value);
    if (auto block = dyn_cast<RankedTensorType>(op.getType())) {
      Value empty =
          tensor::EmptyOp::create(rewriter, loc, block.getShape(), type);
      value = linalg::FillOp::create(rewriter, loc, value, empty).getResult(0);
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};

} // namespace

void triton_shared::populateMachineRegisters(RewritePatternSet &patterns) {
  patterns.add<LowerReadMachine>(patterns.getContext());
}
