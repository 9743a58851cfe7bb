//===- MatrixTiles.h - Dots by registers that hold matrices -----*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_MATRIXTILES_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_MATRIXTILES_H

#include "DotOperands.h"

namespace mlir::triton_shared {

/// Parts of dots as the eight registers of AMX hold them: `down` times `across`
/// parts of the result of `rows` and `columns`, and of the operands those that
/// meet there, `depth` long.
struct MatrixTiles {
  int64_t rows, columns, depth, down, across;

  /// Nothing if dots of these sizes (the last three: rows, columns, depth) have
  /// no whole number of such parts, or too few rows for it to be worth it.
  static std::optional<MatrixTiles> choose(ArrayRef<int64_t> sizes,
                                           const DotForm &form);
};

/// Builds loops that compute dots which add to one result. Parts of that stay
/// in registers for all of them.
void buildMatrixTiles(OpBuilder &builder, ArrayRef<Dot> dots,
                      const MatrixTiles &tiles);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_MATRIXTILES_H
