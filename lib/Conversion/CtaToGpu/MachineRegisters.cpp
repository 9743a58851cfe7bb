//===- MachineRegisters.cpp - Special registers, by their names in PTX ----===//
//
// LLVM would merge and move reads of some of them: their text stays in place.
//
//===----------------------------------------------------------------------===//

#include "Topics.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/InlinePtx.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct ConvertReadMachine : OpConversionPattern<tts::ReadMachineOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tts::ReadMachineOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    unsigned width = tts::getWidth(op.getName());
    std::string text = "mov.u" + std::to_string(width) + " $0, %" +
                       tts::stringifyMachineRegister(op.getName()).str() + ";";
    Value value =
        createPtx(rewriter, op.getLoc(), {rewriter.getIntegerType(width)}, {},
                  text, width == 64 ? "=l" : "=r", PtxEffects::Memory)
            .front();
    if (isa<RankedTensorType>(op.getType()))
      value = vector::BroadcastOp::create(
          rewriter, op.getLoc(), getTypeConverter()->convertType(op.getType()),
          value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuMachineRegisters(
    const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<ConvertReadMachine>(types, patterns.getContext());
}
