//===- DotOperands.h - What a dot multiplies, as it is needed ---*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTOPERANDS_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTOPERANDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::triton_shared {

/// What is multiplied: numbers of `type`, `together` neighbours along the
/// summed-up dimension at once, whose products are added to one sum.
struct DotForm {
  /// Null for the type of the sums.
  Type type;
  int64_t together = 1;
};

/// A product of two matrices that is added to a third. The right one and the
/// result lie row by row, and so does the left one if several neighbours are
/// multiplied at once. Then each row of the right one holds as many: the
/// elements of all of them at column 0, of all of them at column 1, and so on.
struct Dot {
  Location loc;
  Value left, right, result;
  /// The memory that the operands were copied from, or the operands themselves.
  Value leftSource, rightSource;
  int64_t rows, columns, depth;
  DotForm form;
  /// Of integers that are widened first: those that are not negative.
  bool isLeftUnsigned, isRightUnsigned;
  /// The number that all elements of the third matrix are; null if they lie
  /// where the result goes.
  Value start;

  Type getType() const {
    return cast<MemRefType>(result.getType()).getElementType();
  }
};

/// What the CPU multiplies several of at once: by vectors, and by registers of
/// matrices.
struct DotSupport {
  bool hasBf16Pairs, hasInt16Pairs, hasBf16Tiles, hasInt8Tiles;
};

/// True for a dot of two buffers, or a batch of them: `c + f(a) * g(b)` with
/// any element-wise `f` and `g`.
bool isDot(linalg::GenericOp op);

/// The columns of the result.
int64_t getColumns(linalg::GenericOp op);

/// What vectors multiply at once: pairs of bf16, or of i16 for integers of 8
/// bits, if the CPU has that.
DotForm getVectorForm(linalg::GenericOp op, const DotSupport &support);

/// What registers of matrices multiply at once: pairs of bf16, or four bytes.
/// Nothing if the CPU has no such registers, or they multiply something else.
std::optional<DotForm> getTileForm(linalg::GenericOp op,
                                   const DotSupport &support);

/// The number that `op` starts with, if what makes the third matrix that number
/// does so for `op` alone; it is erased then, and each dot has to start with
/// the number. Null if there is none.
Value takeStart(linalg::GenericOp op);

/// Calls `build` for each dot of the batch, inside a loop if there are several.
/// Operands that `f` or `g` change, or that lie column by column, are copied to
/// buffers first; so is the right one if several elements are multiplied at
/// once, and one whose rows lie apart, where that is worth it. A vector has
/// `vectorBytes`.
void forEachDot(OpBuilder &builder, linalg::GenericOp op, const DotForm &form,
                Value start, unsigned vectorBytes,
                function_ref<void(OpBuilder &, const Dot &)> build);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_DOTOPERANDS_H
