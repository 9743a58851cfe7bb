//===- Elements.h - One element of an access at a time ----------*- C++ -*-===//
//
// The vocabulary of the files of this folder: integers as memref wants them,
// the view or address of one element, and loops over the elements of a block.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_ELEMENTS_H
#define TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_ELEMENTS_H

#include "mlir/IR/Builders.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::triton_shared {

/// `value` (an integer) as an index, or as an attribute if it is constant.
OpFoldResult asIndex(OpBuilder &builder, Location loc, Value value);
OpFoldResult asIndex(OpBuilder &builder, Location loc, OpFoldResult value);

/// `value` as a value of type index.
Value indexValue(OpBuilder &builder, Location loc, OpFoldResult value);

/// Arithmetic on signed indices that folds constants and wraps around.
OpFoldResult addIndex(OpBuilder &builder, Location loc, OpFoldResult lhs,
                      OpFoldResult rhs);
OpFoldResult subtractIndex(OpBuilder &builder, Location loc, OpFoldResult lhs,
                           OpFoldResult rhs);
OpFoldResult multiplyIndex(OpBuilder &builder, Location loc, OpFoldResult lhs,
                           OpFoldResult rhs);

OpFoldResult smallerIndex(OpBuilder &builder, Location loc, OpFoldResult lhs,
                          OpFoldResult rhs);
OpFoldResult largerIndex(OpBuilder &builder, Location loc, OpFoldResult lhs,
                         OpFoldResult rhs);

/// The part `low <= i < high` of a dimension, clamped to the block: always
/// `0 <= low <= high <= size`.
struct Interval {
  OpFoldResult low, high;
};
Interval clampBounds(OpBuilder &builder, Location loc, Value low, Value high,
                     int64_t size);

/// The element at `indices` of a tensor; a scalar stands for all elements.
Value elementOf(OpBuilder &builder, Location loc, Value tensorOrScalar,
                ValueRange indices);

/// Zero of a number type.
Value zeroOf(OpBuilder &builder, Location loc, Type type);

/// The elements that start at the element `offset` of `base`.
Value viewMemory(OpBuilder &builder, Location loc, Value base,
                 OpFoldResult offset, ArrayRef<OpFoldResult> sizes,
                 ArrayRef<OpFoldResult> strides);

/// The element `offset` of `base` as a view of size one.
Value viewElement(OpBuilder &builder, Location loc, Value base,
                  OpFoldResult offset);

/// The element `offset` of `base` as an LLVM pointer.
Value pointToElement(OpBuilder &builder, Location loc, Value base,
                     OpFoldResult offset);

Value loadElement(OpBuilder &builder, Location loc, Value base,
                  OpFoldResult offset, bool isVolatile);
void storeElement(OpBuilder &builder, Location loc, Value value, Value base,
                  OpFoldResult offset);

/// A block seen element by element: where each one lies, and whether it takes
/// part.
struct ElementAccess {
  Value base;
  ArrayRef<int64_t> shape;
  /// The part of each dimension that takes part.
  SmallVector<Interval> intervals;
  /// Where the element with these indices lies, in elements.
  std::function<OpFoldResult(OpBuilder &, Location, ValueRange)> offsetOf;
  /// Null, a boolean, or a tensor of them.
  Value mask;

  /// True if no element is left out.
  bool isComplete() const;
};

using ElementBody =
    function_ref<void(OpBuilder &, Location, ValueRange indices)>;

/// Runs `body` for each element that takes part, in row-major order.
void forEachElement(OpBuilder &builder, Location loc,
                    const ElementAccess &access, ElementBody body);

/// All elements of a block of this shape.
SmallVector<Interval> wholeBlock(OpBuilder &builder, ArrayRef<int64_t> shape);

/// The access of `tts.gather`, `tts.scatter` and the atomic operations: a
/// tensor, or one scalar, of offsets.
ElementAccess accessByOffsets(OpBuilder &builder, Value base, Value offsets,
                              Value mask);

/// The access of any operation: by its dimensions, or by its offsets.
ElementAccess accessOf(OpBuilder &builder, tts::AccessOpInterface op);

/// A new buffer for a block of this type.
Value allocateBlock(OpBuilder &builder, Location loc, RankedTensorType type);

/// Fills a buffer with a scalar or with the elements of a tensor.
void fillBlock(OpBuilder &builder, Location loc, Value buffer,
               Value scalarOrTensor);

/// The contents of a buffer that nobody else knows.
Value blockContents(OpBuilder &builder, Location loc, Value buffer,
                    RankedTensorType type);

/// Has every round of a loop that waits call the runtime; `user` is the loop,
/// or what becomes one.
void callRuntimeWhileWaiting(OpBuilder &builder, Operation *user,
                             Region &round);

/// The same for all loops below `root` that may wait.
void markWaitingLoops(Operation *root);

void populateStridedAccesses(RewritePatternSet &patterns);
void populateElementAccesses(RewritePatternSet &patterns);
void populateAtomicAccesses(RewritePatternSet &patterns);
void populateAddresses(RewritePatternSet &patterns);
void populateMachineRegisters(RewritePatternSet &patterns);
void populateMessages(RewritePatternSet &patterns);
void populateHistograms(RewritePatternSet &patterns);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_ELEMENTS_H
