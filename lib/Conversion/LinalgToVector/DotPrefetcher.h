//===- DotPrefetcher.h - What the next dot of a loop will read --*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTPREFETCHER_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTPREFETCHER_H

#include "DotOperands.h"

namespace mlir::triton_shared {

/// Asks for the operands of a dot in the next iteration of the loop around it,
/// in parts: each tile of the result stands for as many cache lines as there
/// are lines for a tile. Knows only operands that are views of memory whose
/// place the loop computes; does nothing for others.
class DotPrefetcher {
public:
  /// Tiles have `tileRows` and `tileColumns`. Builds the views of the next
  /// iteration.
  DotPrefetcher(OpBuilder &builder, const Dot &dot, int64_t tileRows,
                int64_t tileColumns);

  /// Builds the part of the tile at `row` and `column`.
  void build(OpBuilder &builder, Value row, Value column) const;

private:
  Location loc;
  /// Null where nothing is known.
  Value nextLeft, nextRight;
  int64_t tileRows, tileColumns, rowTiles, columnTiles, depth;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTPREFETCHER_H
