//===- OperandTiles.h - Tiles that products read in their order -*- C++ -*-===//
//
// A product reads an operand from shared memory as it lies there, or with its
// rows and columns in each other's place. So one buffer serves a tile that
// products take both ways.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_OPERANDTILES_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_OPERANDTILES_H

#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// What an operand shows of a tile.
struct OperandTile {
  /// The tile, before it is transposed.
  Value tile;
  /// What transposes it; null if nothing does.
  cta::TransposeOp transpose;
};

/// The tile that `operand`, a tile as well, is or shows transposed.
OperandTile getOperandTile(Value operand);

/// The first use by which a product of its block that threads compute takes
/// `tile`, as it is or transposed; null if there is none.
OpOperand *findFactor(Value tile);

/// True if a product can read `operand` where `buffer` holds the tile that it
/// shows.
bool canReadOperand(OpOperand &operand, cta::BufferType buffer);

/// `buffer`, which holds the tile that `operand` shows, as the product reads
/// it.
Value createOperandBuffer(OpBuilder &builder, Value operand, Value buffer);

/// The uses by which products of `block` read `tile` from shared memory, as it
/// is or transposed.
SmallVector<OpOperand *> findSharedReads(Value tile, Block *block);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_OPERANDTILES_H
