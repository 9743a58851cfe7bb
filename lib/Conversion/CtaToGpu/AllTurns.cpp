//===- AllTurns.cpp - What holds in all turns of a loop -------------------===//
//
// Lane i of a warp asks in turns i, i + 32, …; then all of them vote.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct ConvertAllTurns : OpConversionPattern<cta::AllTurnsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::AllTurnsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value holds = createLoop(op, adaptor, rewriter);
    NVVM::VoteSyncOp all = NVVM::VoteSyncOp::create(
        rewriter, loc, rewriter.getI1Type(), createI32(rewriter, loc, -1),
        holds, NVVM::VoteSyncKind::all);
    rewriter.replaceOp(op, all);
    return success();
  }

private:
  /// Whether it holds in the turns of this lane. They are counted in 64 bits: a
  /// lane may look for its next one beyond what 32 can say.
  static Value createLoop(cta::AllTurnsOp op, OpAdaptor adaptor,
                          ConversionPatternRewriter &rewriter) {
    Location loc = op.getLoc();
    auto extend = [&](Value number) -> Value {
      return arith::ExtSIOp::create(rewriter, loc, rewriter.getI64Type(),
                                    number);
    };
    Value step = extend(adaptor.getStep());
    Value own = arith::MulIOp::create(rewriter, loc,
                                      extend(createLane(rewriter, loc)), step);
    Value first =
        arith::AddIOp::create(rewriter, loc, extend(adaptor.getFirst()), own);
    Value stride = arith::MulIOp::create(
        rewriter, loc, step, createI64(rewriter, loc, GpuTarget::kWarpSize));
    Value end = extend(adaptor.getEnd());
    Value yes = arith::ConstantIntOp::create(rewriter, loc, true, 1);
    auto loop = scf::ForOp::create(rewriter, loc, first, end, stride, yes);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value turn = arith::TruncIOp::create(rewriter, loc, rewriter.getI32Type(),
                                         loop.getInductionVar());
    Operation *yield = op.getBody().front().getTerminator();
    rewriter.inlineBlockBefore(&op.getBody().front(), loop.getBody(),
                               loop.getBody()->end(), turn);
    rewriter.setInsertionPoint(yield);
    Value all = arith::AndIOp::create(rewriter, loc, loop.getRegionIterArg(0),
                                      yield->getOperand(0));
    rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, all);
    return loop.getResult(0);
  }
};

} // namespace

void triton_shared::populateCtaToGpuAllTurns(const TypeConverter &types,
                                             RewritePatternSet &patterns) {
  patterns.add<ConvertAllTurns>(types, patterns.getContext());
}
