//===- VectorBody.h - The body of a linalg operation on vectors -*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_VECTORBODY_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_VECTORBODY_H

#include "VectorValues.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::triton_shared {

/// True if `op` works on vectors as on scalars.
bool isVectorizable(Operation *op);

/// True if every operation of the body does.
bool isVectorizable(linalg::GenericOp op);

/// The bytes of the widest number that `op` reads, writes or computes with in
/// floating point.
unsigned getWidestBytes(linalg::GenericOp op);

/// Builds the body of `op` for `lanes` neighbours along one of its loops. What
/// does not depend on that loop stays scalar until it meets a vector.
class VectorBody {
public:
  /// `indices` are the values of the loops, that of `vectorLoop` for the first
  /// lane.
  VectorBody(linalg::GenericOp op, int64_t lanes, unsigned vectorLoop,
             ArrayRef<Value> indices)
      : op(op), values(lanes), vectorLoop(vectorLoop), indices(indices) {}

  /// Says what a block argument is: a vector of lanes or a scalar.
  void setArgument(unsigned number, Value value) {
    values.map(op.getBody()->getArgument(number), value);
  }

  /// Builds the operations of the body except for `skipped` and the terminator.
  void build(OpBuilder &builder, Operation *skipped = nullptr);

  /// What `value` of the body is now, as a vector.
  Value getVector(OpBuilder &builder, Value value);

  /// Stores what the body yields at `indices` of the outputs.
  void storeResults(OpBuilder &builder, ArrayRef<Value> indices);

private:
  void buildIndex(OpBuilder &builder, linalg::IndexOp index);

  linalg::GenericOp op;
  VectorValues values;
  unsigned vectorLoop;
  SmallVector<Value> indices;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_VECTORBODY_H
