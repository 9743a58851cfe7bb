//===- VectorLoops.h - Loop nests that go from vector to vector -*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_VECTORLOOPS_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_VECTORLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::triton_shared {

/// How an operand is accessed by vectors along one loop.
enum class LaneAccess {
  Invariant,  ///< One element for all lanes.
  Contiguous, ///< Neighbours in memory.
  Other,      ///< Anything else.
};

LaneAccess getLaneAccess(linalg::LinalgOp op, OpOperand &operand,
                         unsigned vectorLoop);

/// True for scalars, and for buffers of which lanes along `vectorLoop` all see
/// one element.
bool isSameForAllLanes(linalg::LinalgOp op, OpOperand &operand,
                       unsigned vectorLoop);

/// The most lanes, a power of two, of which `size` is a multiple and that fit
/// into `vectorBytes`.
int64_t chooseLanes(int64_t size, unsigned elementBytes, unsigned vectorBytes);

/// The place in `operand` that belongs to `indices`, one per loop.
SmallVector<Value> getPlace(OpBuilder &builder, linalg::LinalgOp op,
                            OpOperand &operand, ArrayRef<Value> indices);

/// The element of `operand` at `indices`, or a vector of `lanes` from there on
/// if `lanes` is not 0.
Value loadLanes(OpBuilder &builder, linalg::LinalgOp op, OpOperand &operand,
                ArrayRef<Value> indices, int64_t lanes);

/// The `count` places from `first` on that lie `step` apart.
SmallVector<Value> buildPlaces(OpBuilder &builder, Location loc, Value first,
                               int64_t count, int64_t step);

/// Builds loops from 0 to `sizes` in steps of `steps` (1 where it is too short)
/// around what `body` builds.
void buildLoops(OpBuilder &builder, Location loc, ArrayRef<int64_t> sizes,
                ArrayRef<int64_t> steps,
                function_ref<void(OpBuilder &, ArrayRef<Value>)> body);

/// True if elements may be combined by `op` in any grouping: fast mode does not
/// ask for the order of roundings.
bool isAssociative(Operation *op);

/// What `op` makes of other operands, scalars or vectors.
Value combine(OpBuilder &builder, Operation *op, Value lhs, Value rhs);

/// Each of these replaces the operations of one form.
void populateElementwiseToVector(RewritePatternSet &patterns,
                                 unsigned vectorBytes, unsigned streamBytes);
void populateReductionsToVector(RewritePatternSet &patterns,
                                unsigned vectorBytes, bool hasFma);
void populateTupleReductionsToVector(RewritePatternSet &patterns,
                                     unsigned vectorBytes);
void populateCopiesToVector(RewritePatternSet &patterns, unsigned vectorBytes);
/// Makes copies of columns operations that the next one knows.
void populateCopiesAcross(RewritePatternSet &patterns);
void populateTransposesToVector(RewritePatternSet &patterns,
                                unsigned vectorBytes);
void populateElementLoopsToVector(RewritePatternSet &patterns,
                                  unsigned vectorBytes);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_VECTORLOOPS_H
