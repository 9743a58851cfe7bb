//===- DotOperands.h - What a dot multiplies, as it is needed ---*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTOPERANDS_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTOPERANDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::triton_shared {

/// A product of two matrices that is added to a third. All have elements of the
/// type of the result; the right one and the result lie row by row.
///
/// In pairs, elements are narrower and two neighbours along the summed-up
/// dimension are multiplied and added at once. Both operands lie row by row
/// then, and each row of the right one holds two: the elements of both at
/// column 0, of both at column 1, and so on.
struct Dot {
  Location loc;
  Value left, right, result;
  /// The memory that the operands were copied from, or the operands themselves.
  Value leftSource, rightSource;
  int64_t rows, columns, depth;
  bool isPaired;
  /// The number that all elements of the third matrix are; null if they lie
  /// where the result goes.
  Value start;

  Type getType() const {
    return cast<MemRefType>(result.getType()).getElementType();
  }
};

/// What the CPU multiplies in pairs.
struct PairSupport {
  bool hasBf16, hasInt16;
};

/// True for a dot of two buffers, or a batch of them: `c + f(a) * g(b)` with
/// any element-wise `f` and `g`.
bool isDot(linalg::GenericOp op);

/// The columns of the result.
int64_t getColumns(linalg::GenericOp op);

/// The type of the elements that `op` can multiply in pairs: bf16, or i16 for
/// integers of 8 bits. Null if there is none, or the CPU does not support it.
Type getPairType(linalg::GenericOp op, PairSupport support);

/// Calls `build` for each dot of the batch, inside a loop if there are several.
/// Operands that `f` or `g` change, or that lie column by column, are copied to
/// buffers first; so is the right one of a dot in pairs of `pairType`, which
/// may be null, and one whose rows lie apart, where that is worth it. A vector
/// has `vectorBytes`. What makes the third matrix one number for `op` alone is
/// erased: each dot starts with that number.
void forEachDot(OpBuilder &builder, linalg::GenericOp op, Type pairType,
                unsigned vectorBytes,
                function_ref<void(OpBuilder &, const Dot &)> build);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTOPERANDS_H
