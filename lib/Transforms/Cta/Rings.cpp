//===- Rings.cpp - Slots in shared memory that take turns -----------------===//

#include "Rings.h"
#include "OperandTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"

using namespace mlir;
using namespace mlir::triton_shared;

cta::BufferType triton_shared::getRingType(const AheadLoad &load,
                                           int64_t slots) {
  RankedTensorType tile = load.getTile();
  MLIRContext *context = tile.getContext();
  return cta::BufferType::get(context, slots, tile.getShape(),
                              tile.getElementType(),
                              cta::SharedLayoutAttr::get(context, load.layout));
}

cta::AllocOp triton_shared::createRing(OpBuilder &builder, Location loc,
                                       const AheadLoad &load, int64_t slots) {
  auto ring = cta::AllocOp::create(builder, loc, getRingType(load, slots));
  if (load.isMatrix)
    ring.setAlignment(cta::kMatrixAlignment);
  return ring;
}

static Value createI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

static Value createIs(OpBuilder &builder, Location loc, Value slot,
                      int64_t number) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, slot,
                               createI32(builder, loc, number));
}

Value triton_shared::createPreviousSlot(OpBuilder &builder, Location loc,
                                        Value slot, int64_t slots) {
  Value isFirst = createIs(builder, loc, slot, 0);
  return arith::SelectOp::create(
      builder, loc, isFirst, createI32(builder, loc, slots - 1),
      arith::SubIOp::create(builder, loc, slot, createI32(builder, loc, 1)));
}

Value triton_shared::createNextSlot(OpBuilder &builder, Location loc,
                                    Value slot, int64_t slots) {
  Value isLast = createIs(builder, loc, slot, slots - 1);
  return arith::SelectOp::create(
      builder, loc, isLast, createI32(builder, loc, 0),
      arith::AddIOp::create(builder, loc, slot, createI32(builder, loc, 1)));
}

Value triton_shared::createNextPhase(OpBuilder &builder, Location loc,
                                     Value slot, Value phase) {
  Value isFirst = createIs(builder, loc, slot, 0);
  return arith::SelectOp::create(
      builder, loc, isFirst,
      arith::XOrIOp::create(builder, loc, phase, createI32(builder, loc, 1)),
      phase);
}

void triton_shared::readBefore(OpOperand &use, const AheadLoad &ahead,
                               cta::AllocOp ring, Value slot) {
  SmallVector<int64_t> origin(ahead.getTile().getRank(), 0);
  OpBuilder builder(use.getOwner());
  Value read = cta::ReadOp::create(builder, ahead.load->getLoc(),
                                   ahead.getTile(), ring, slot, origin);
  cta::TransposeOp transpose = getOperandTile(use.get()).transpose;
  if (transpose)
    read = cta::TransposeOp::create(builder, transpose.getLoc(),
                                    transpose.getType(), read,
                                    transpose.getPermutation());
  use.set(read);
  if (transpose && transpose->use_empty())
    transpose.erase();
}

void triton_shared::readFromRing(const AheadLoad &ahead, cta::AllocOp ring,
                                 Value slot) {
  Operation *load = ahead.load;
  if (ahead.isMatrix)
    for (OpOperand *use : findSharedReads(load->getResult(0), load->getBlock()))
      readBefore(*use, ahead, ring, slot);
  Location loc = load->getLoc();
  OpBuilder builder(load);
  RankedTensorType tile = ahead.getTile();
  SmallVector<int64_t> origin(tile.getRank(), 0);
  for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
    if (auto convert = dyn_cast<cta::ConvertLayoutOp>(user)) {
      builder.setInsertionPoint(convert);
      convert.getResult().replaceAllUsesWith(cta::ReadOp::create(
          builder, loc, convert.getType(), ring, slot, origin));
      convert.erase();
    }
  builder.setInsertionPoint(load);
  if (!load->use_empty())
    load->getResult(0).replaceAllUsesWith(
        cta::ReadOp::create(builder, loc, tile, ring, slot, origin));
  load->erase();
}
