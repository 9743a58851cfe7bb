//===- Specialize.cpp - Warps that do different things --------------------===//
//
// The warp that copies comes after those of the program, so that the numbers of
// their threads are what they are without it. With three more it is a group
// that can leave registers to the others.
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "Parts.h"
#include "Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;

bool triton_shared::isBarrierOfProgram(Operation *op) {
  return isa<gpu::BarrierOp>(op) &&
         cta::getNumProducerWarps(op->getParentOfType<FunctionOpInterface>());
}

/// A branch that has no blocks yet.
static scf::IfOp createBranch(OpBuilder &builder, Location loc, Value isTaken) {
  return scf::IfOp::create(builder, loc, TypeRange(), isTaken,
                           /*addThenBlock=*/false, /*addElseBlock=*/false);
}

namespace {

struct ConvertSpecialize : OpConversionPattern<cta::SpecializeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::SpecializeOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    NVVM::Barrier0Op::create(rewriter, loc);
    // The first lane's number is that of all: ptxas sees that warps do not
    // part.
    Value warp =
        createShuffle(rewriter, loc, createWarp(rewriter, loc),
                      NVVM::ShflKind::idx, createI32(rewriter, loc, 0));
    auto kernel = op->getParentOfType<FunctionOpInterface>();
    int64_t warps = *cta::getNumWarps(kernel);
    std::optional<cta::RegisterShares> shares = cta::getRegisterShares(kernel);
    auto is = [&](arith::CmpIPredicate predicate) {
      return arith::CmpIOp::create(rewriter, loc, predicate, warp,
                                   createI32(rewriter, loc, warps));
    };
    Value isProducer = is(arith::CmpIPredicate::eq);
    auto branch = createBranch(
        rewriter, loc, shares ? is(arith::CmpIPredicate::uge) : isProducer);
    scf::IfOp copying = branch;
    if (shares) {
      rewriter.createBlock(&branch.getThenRegion());
      NVVM::SetMaxRegisterOp::create(rewriter, loc, shares->producer,
                                     NVVM::SetMaxRegisterAction::decrease);
      copying = createBranch(rewriter, loc, isProducer);
      scf::YieldOp::create(rewriter, loc);
    }
    for (auto [from, to] :
         {std::pair(&op.getProducer(), &copying.getThenRegion()),
          std::pair(&op.getConsumers(), &branch.getElseRegion())}) {
      rewriter.inlineRegionBefore(*from, *to, to->end());
      Operation *yield = to->front().getTerminator();
      rewriter.setInsertionPoint(yield);
      rewriter.replaceOpWithNewOp<scf::YieldOp>(yield);
    }
    if (shares) {
      rewriter.setInsertionPointToStart(branch.elseBlock());
      NVVM::SetMaxRegisterOp::create(rewriter, loc, shares->consumer,
                                     NVVM::SetMaxRegisterAction::increase);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertBarrier : OpConversionPattern<gpu::BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isBarrierOfProgram(op))
      return rewriter.notifyMatchFailure(op, "waits for the whole block");
    createBarrier(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuSpecialize(const TypeConverter &types,
                                               RewritePatternSet &patterns) {
  patterns.add<ConvertSpecialize, ConvertBarrier>(types, patterns.getContext());
}
