//===- Specialize.cpp - Warps that do different things --------------------===//
//
// The warp that copies comes after those of the program, so that the numbers of
// their threads are what they are without it. With three more it is a group
// that can leave registers to the others.
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "Threads.h"
#include "Topics.h"

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

/// Numbers of barriers from which on those of turns are; before come that of
/// the block and that of the program.
constexpr int64_t kFirstTurn = 2;

/// The numbers of this group of four warps, of their number, and of the threads
/// of two of them: who waits, and who passes on.
struct Group {
  Group(OpBuilder &builder, Operation *op) : loc(op->getLoc()) {
    constexpr int64_t kWarps = GpuTarget::kWarpgroupWarps;
    auto kernel = op->getParentOfType<FunctionOpInterface>();
    groups = *cta::getNumWarps(kernel) / kWarps;
    threads = createI32(builder, loc, 2 * kWarps * GpuTarget::kWarpSize);
    Value warp = createShuffle(builder, loc, createWarp(builder, loc),
                               NVVM::ShflKind::idx, createI32(builder, loc, 0));
    number = arith::DivUIOp::create(builder, loc, warp,
                                    createI32(builder, loc, kWarps));
  }

  Value createIs(OpBuilder &builder, int64_t other) const {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number,
                                 createI32(builder, loc, other));
  }

  Location loc;
  int64_t groups;
  Value threads, number;
};

/// Puts what `create` makes into a branch, if `condition` is there.
void createIf(OpBuilder &builder, Location loc, Value condition,
              function_ref<void(OpBuilder &)> create) {
  if (!condition)
    return create(builder);
  scf::IfOp::create(builder, loc, condition, [&](OpBuilder &inside, Location) {
    create(inside);
    scf::YieldOp::create(inside, loc);
  });
}

struct ConvertWaitTurn : OpConversionPattern<cta::WaitTurnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::WaitTurnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Group group(rewriter, op);
    Value isFirst = op.getFirst() ? group.createIs(rewriter, 0) : Value();
    createIf(rewriter, op.getLoc(), isFirst, [&](OpBuilder &inside) {
      Value turn =
          arith::AddIOp::create(inside, op.getLoc(), group.number,
                                createI32(inside, op.getLoc(), kFirstTurn));
      NVVM::BarrierOp::create(inside, op.getLoc(), TypeRange(), turn,
                              group.threads, {}, Value());
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertPassTurn : OpConversionPattern<cta::PassTurnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::PassTurnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Group group(rewriter, op);
    Location loc = op.getLoc();
    Value isLast = group.createIs(rewriter, group.groups - 1);
    createIf(
        rewriter, loc, op.getFirst() ? isLast : Value(),
        [&](OpBuilder &inside) {
          Value turn = arith::SelectOp::create(
              inside, loc, isLast, createI32(inside, loc, kFirstTurn),
              arith::AddIOp::create(inside, loc, group.number,
                                    createI32(inside, loc, kFirstTurn + 1)));
          NVVM::BarrierArriveOp::create(inside, loc, turn, group.threads);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuSpecialize(const TypeConverter &types,
                                               RewritePatternSet &patterns) {
  patterns
      .add<ConvertSpecialize, ConvertBarrier, ConvertWaitTurn, ConvertPassTurn>(
          types, patterns.getContext());
}
