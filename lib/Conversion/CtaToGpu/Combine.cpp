//===- Combine.cpp - What reductions and scans have in common -------------===//

#include "Combine.h"
#include "SharedMemory.h"
#include "Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Conversion/NumberBits.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"

using namespace mlir;
using namespace mlir::triton_shared;

SmallVector<Value> triton_shared::createCombined(OpBuilder &builder,
                                                 Region &region,
                                                 ValueRange left,
                                                 ValueRange right,
                                                 const IRMapping &known) {
  IRMapping mapping = known;
  Block &body = region.front();
  mapping.map(body.getArguments().take_front(left.size()), left);
  mapping.map(body.getArguments().drop_front(left.size()), right);
  for (Operation &op : body.without_terminator())
    if (!llvm::all_of(op.getResults(),
                      [&](Value value) { return mapping.contains(value); }))
      builder.clone(op, mapping);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// The instruction moves 32 bits.
static Value shuffleWord(OpBuilder &builder, Location loc, Value word,
                         NVVM::ShflKind kind, Value lane) {
  return NVVM::ShflOp::create(
      builder, loc, builder.getI32Type(), createI32(builder, loc, -1), word,
      lane, createI32(builder, loc, GpuTarget::kWarpSize - 1), kind,
      /*return_value_and_is_valid=*/UnitAttr());
}

/// 64 bits are two words.
static Value shuffleWords(OpBuilder &builder, Location loc, Value bits,
                          NVVM::ShflKind kind, Value lane) {
  Type i64 = builder.getI64Type();
  Value words = vector::BitCastOp::create(
      builder, loc, VectorType::get({2}, builder.getI32Type()),
      createVectorSplat(builder, loc, bits, 1));
  SmallVector<Value> moved;
  for (Value word : unpackRegisters(builder, loc, words))
    moved.push_back(shuffleWord(builder, loc, word, kind, lane));
  Value joined =
      vector::BitCastOp::create(builder, loc, VectorType::get({1}, i64),
                                packRegisters(builder, loc, moved));
  return vector::ExtractOp::create(builder, loc, joined, 0);
}

Value triton_shared::createShuffle(OpBuilder &builder, Location loc,
                                   Value value, NVVM::ShflKind kind,
                                   Value lane) {
  Type type = value.getType();
  if (type.isIndex()) {
    Value wide =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
    return arith::IndexCastOp::create(
        builder, loc, type, createShuffle(builder, loc, wide, kind, lane));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  Value bits = toBits(builder, loc, value);
  if (width == 64) {
    bits = shuffleWords(builder, loc, bits, kind, lane);
  } else if (width == 32) {
    bits = shuffleWord(builder, loc, bits, kind, lane);
  } else {
    Value word =
        arith::ExtUIOp::create(builder, loc, builder.getI32Type(), bits);
    bits = arith::TruncIOp::create(builder, loc, bits.getType(),
                                   shuffleWord(builder, loc, word, kind, lane));
  }
  return fromBits(builder, loc, bits, type);
}

/// `tiles` one behind the other.
static SmallVector<SharedTile> placeTiles(Operation *op,
                                          ArrayRef<RankedTensorType> tiles) {
  SmallVector<SharedTile> placed;
  int64_t skip = 0;
  for (RankedTensorType type : tiles) {
    placed.push_back(SharedTile(op, type, skip));
    skip += cta::getSharedBytes(type);
  }
  return placed;
}

Registers triton_shared::exchangeTiles(OpBuilder &builder, Operation *op,
                                       ArrayRef<RankedTensorType> tiles,
                                       const Registers &values,
                                       const cta::LinearLayout &held,
                                       const cta::LinearLayout &wanted) {
  Location loc = op->getLoc();
  SmallVector<SharedTile> placed = placeTiles(op, tiles);
  if (op->hasAttr(cta::kSharedBarrier))
    createBarrier(builder, loc);
  for (auto [tile, elements] : llvm::zip_equal(placed, values))
    tile.store(builder, loc, packRegisters(builder, loc, elements), held);
  createBarrier(builder, loc);
  return llvm::map_to_vector(placed, [&](const SharedTile &tile) {
    return unpackRegisters(builder, loc, tile.load(builder, loc, wanted));
  });
}
