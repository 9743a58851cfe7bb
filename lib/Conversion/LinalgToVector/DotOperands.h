//===- DotOperands.h - What a dot multiplies, as it is needed ---*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTOPERANDS_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTOPERANDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::triton_shared {

/// A product of two matrices that is added to a third. All have elements of the
/// type of the result; the right one and the result lie row by row.
struct Dot {
  Location loc;
  Value left, right, result;
  int64_t rows, columns, depth;

  Type getType() const {
    return cast<MemRefType>(result.getType()).getElementType();
  }
};

/// True for a dot of two buffers, or a batch of them: `c + f(a) * g(b)` with
/// any element-wise `f` and `g`.
bool isDot(linalg::GenericOp op);

/// The columns of the result.
int64_t getColumns(linalg::GenericOp op);

/// Calls `build` for each dot of the batch, inside a loop if there are several.
/// Operands that `f` or `g` change, or that lie column by column, are copied to
/// buffers first.
void forEachDot(OpBuilder &builder, linalg::GenericOp op,
                function_ref<void(OpBuilder &, const Dot &)> build);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTOPERANDS_H
