//===- Boxes.cpp - Copies that the copy engine makes ----------------------===//
//
// One thread says how many bytes will arrive at a barrier and asks for the
// copies. It does so by predicated instructions: a branch that only some
// threads take would let ptxas wait for products that go on. They are assembly:
// NVVM's operations with a predicate become assembly, too, and those that
// commit and wait for stores, arrive at a barrier or end one have none. NVVM's
// wait for a barrier names how long a thread may sleep; here the GPU decides.
// The fence between is written as what it orders is.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "SharedMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Dialect/Cta/IR/Mbarriers.h"
#include "triton-shared/Transforms/InlinePtx.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// True in threads whose number is a multiple of `count`, a power of two.
Value createIsFirstOf(OpBuilder &builder, Location loc, int64_t count) {
  Value number =
      arith::AndIOp::create(builder, loc, createThreadId(builder, loc),
                            createI32(builder, loc, count - 1));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number,
                               createI32(builder, loc, 0));
}

/// True in the first thread of all.
Value createIsFirst(OpBuilder &builder, Location loc) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                               createThreadId(builder, loc),
                               createI32(builder, loc, 0));
}

} // namespace

Value triton_shared::createIsAsking(OpBuilder &builder, Operation *op) {
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  return cta::getNumProducerWarps(kernel)
             ? createIsFirstOf(builder, op->getLoc(),
                               *cta::getNumWarps(kernel) * GpuTarget::kWarpSize)
             : createIsFirst(builder, op->getLoc());
}

namespace {

/// The address of slot `slot`, of so many bytes each, from `begin` on in shared
/// memory, as assembly takes it.
Value createSlotAddress(OpBuilder &builder, Location loc, Value begin,
                        Value slot, int64_t slotBytes) {
  Value address =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), begin);
  Value bytes = arith::MulIOp::create(builder, loc, slot,
                                      createI32(builder, loc, slotBytes));
  return arith::AddIOp::create(builder, loc, address, bytes);
}

/// Applies `instruction`, whose operand $1 is its address, to each barrier.
void createForEach(OpBuilder &builder, Location loc, Value mbarriers,
                   int64_t slots, StringRef instruction) {
  Value isFirst = createIsFirst(builder, loc);
  for (int64_t slot = 0; slot < slots; ++slot)
    createPtx(builder, loc, {},
              {isFirst, createSlotAddress(builder, loc, mbarriers,
                                          createI32(builder, loc, slot),
                                          cta::kMbarrierBytes)},
              instruction, "b,r", PtxEffects::Memory);
}

struct ConvertMbarriers : OpConversionPattern<cta::MbarriersOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::MbarriersOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value begin = createSharedPointer(rewriter, loc, op);
    // What threads have done with the memory that copies will write is done
    // for the copy engine, too.
    createProductFence(rewriter, loc);
    createForEach(rewriter, loc, begin, op.getMbarriers().getType().getSlots(),
                  "@$0 mbarrier.init.shared.b64 [$1], " +
                      std::to_string(op.getArrivals()) + ";");
    createPtx(rewriter, loc, {}, {}, "fence.mbarrier_init.release.cluster;", "",
              PtxEffects::Memory);
    rewriter.replaceOp(op, begin);
    return success();
  }
};

struct ConvertInvalidate : OpConversionPattern<cta::InvalidateOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::InvalidateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    createForEach(rewriter, op.getLoc(), adaptor.getMbarriers(),
                  op.getMbarriers().getType().getSlots(),
                  "@$0 mbarrier.inval.shared.b64 [$1];");
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertWaitMbarrier : OpConversionPattern<cta::WaitMbarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::WaitMbarrierOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value mbarrier = createSlotAddress(rewriter, loc, adaptor.getMbarriers(),
                                       adaptor.getSlot(), cta::kMbarrierBytes);
    createPtx(rewriter, loc, {}, {mbarrier, adaptor.getPhase()},
              "{\n.reg .pred done;\nagain:\n"
              "mbarrier.try_wait.parity.shared.b64 done, [$0], $1;\n"
              "@!done bra.uni again;\n}",
              "r,r", PtxEffects::Memory);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertArrive : OpConversionPattern<cta::ArriveOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::ArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t warps = op.getByWarps() ? 1 : GpuTarget::kWarpgroupWarps;
    Value isFirst =
        createIsFirstOf(rewriter, loc, warps * GpuTarget::kWarpSize);
    Value arrives =
        arith::AndIOp::create(rewriter, loc, op.getCondition(), isFirst);
    Value mbarrier = createSlotAddress(rewriter, loc, adaptor.getMbarriers(),
                                       adaptor.getSlot(), cta::kMbarrierBytes);
    createPtx(rewriter, loc, {}, {arrives, mbarrier},
              "@$0 mbarrier.arrive.shared.b64 _, [$1];", "b,r",
              PtxEffects::Memory);
    rewriter.eraseOp(op);
    return success();
  }
};

/// One piece of a tile: its coordinates in the tensor, as instructions take
/// them, and its address in shared memory.
struct BoxPiece {
  SmallVector<Value> coordinates;
  Value address;
};

/// The pieces of the tile that lies at `slot`.
template <typename BoxOp>
SmallVector<BoxPiece> createPieces(OpBuilder &builder, BoxOp op, Value slot) {
  Location loc = op.getLoc();
  cta::BufferType type = op.getBuffer().getType();
  cta::SharedLayout layout = type.getLayout().getLayout();
  int64_t bytes = cta::getElementBytes(type.getElementType());
  SmallVector<cta::Coordinates> origins = {
      cta::Coordinates(type.getShape().size(), 0)};
  for (auto [dim, size] : llvm::zip_equal(op.getDims(), op.getPiece())) {
    SmallVector<cta::Coordinates> all;
    for (const cta::Coordinates &origin : origins)
      for (int64_t at = 0; at < type.getShape()[dim]; at += size) {
        all.push_back(origin);
        all.back()[dim] = at;
      }
    origins = std::move(all);
  }
  return llvm::map_to_vector(origins, [&](const cta::Coordinates &origin) {
    BoxPiece piece;
    piece.address = arith::AddIOp::create(
        builder, loc, slot,
        createI32(builder, loc, layout.getOffset(origin) * bytes));
    // Instructions name the innermost dimension first.
    for (auto [start, dim] :
         llvm::reverse(llvm::zip_equal(op.getStart(), op.getDims())))
      piece.coordinates.push_back(arith::AddIOp::create(
          builder, loc, start, createI32(builder, loc, origin[dim])));
    return piece;
  });
}

struct ConvertCopyBox : OpConversionPattern<cta::CopyBoxOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::CopyBoxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    cta::BufferType type = op.getBuffer().getType();
    Value isAsking = arith::AndIOp::create(rewriter, loc, op.getCondition(),
                                           createIsAsking(rewriter, op));
    Value mbarrier = createSlotAddress(rewriter, loc, adaptor.getMbarriers(),
                                       op.getSlot(), cta::kMbarrierBytes);
    createPtx(
        rewriter, loc, {},
        {isAsking, mbarrier, createI32(rewriter, loc, type.getSlotBytes())},
        "@$0 mbarrier.arrive.expect_tx.shared.b64 _, [$1], $2;", "b,r,r",
        PtxEffects::Memory);
    Value slot = createSlotAddress(rewriter, loc, adaptor.getBuffer(),
                                   op.getSlot(), type.getSlotBytes());
    unsigned rank = op.getStart().size();
    std::string text = "@$0 cp.async.bulk.tensor." + std::to_string(rank) +
                       "d.shared::cluster.global.tile.mbarrier::complete_tx::"
                       "bytes [$1], [$2, " +
                       listPlaceholders(4, rank) + "], [$3];";
    for (const BoxPiece &piece : createPieces(rewriter, op, slot)) {
      SmallVector<Value> operands = {isAsking, piece.address, op.getMap(),
                                     mbarrier};
      llvm::append_range(operands, piece.coordinates);
      createPtx(rewriter, loc, {}, operands, text,
                "b,r,l,r" + repeatConstraint("r", rank), PtxEffects::Memory);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Who has asked for stores waits until all but the last `pending` ones have
/// read shared memory, or are `written`.
void createStoreWait(OpBuilder &builder, Operation *op, int64_t pending,
                     bool written = false) {
  std::string text = "@$0 cp.async.bulk.wait_group";
  text += (written ? " " : ".read ") + std::to_string(pending) + ";";
  createPtx(builder, op->getLoc(), {}, {createIsAsking(builder, op)}, text, "b",
            PtxEffects::Memory);
}

struct ConvertStoreBox : OpConversionPattern<cta::StoreBoxOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::StoreBoxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value isAsking = createIsAsking(rewriter, op);
    Value slot =
        createSlotAddress(rewriter, loc, adaptor.getBuffer(), op.getSlot(),
                          op.getBuffer().getType().getSlotBytes());
    unsigned rank = op.getStart().size();
    std::string text = "@$0 cp.async.bulk.tensor." + std::to_string(rank) +
                       "d.global.shared::cta.tile.bulk_group [$1, " +
                       listPlaceholders(3, rank) + "], [$2];";
    for (const BoxPiece &piece : createPieces(rewriter, op, slot)) {
      SmallVector<Value> operands = {isAsking, op.getMap(), piece.address};
      llvm::append_range(operands, piece.coordinates);
      createPtx(rewriter, loc, {}, operands, text,
                "b,l,r" + repeatConstraint("r", rank), PtxEffects::Memory);
    }
    createPtx(rewriter, loc, {}, {isAsking}, "@$0 cp.async.bulk.commit_group;",
              "b", PtxEffects::Memory);
    if (!op.getGoesOn())
      createStoreWait(rewriter, op, /*pending=*/0);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertWaitStores : OpConversionPattern<cta::WaitStoresOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::WaitStoresOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    createStoreWait(rewriter, op, op.getPending(), op.getWritten());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuBoxes(const TypeConverter &types,
                                          RewritePatternSet &patterns) {
  patterns
      .add<ConvertMbarriers, ConvertInvalidate, ConvertWaitMbarrier,
           ConvertArrive, ConvertCopyBox, ConvertStoreBox, ConvertWaitStores>(
          types, patterns.getContext());
}
