//===- CauseBuilder.h - Arithmetic on causes, and notes ---------*- C++ -*-===//
//
// A cause is the number of the operation that made an element wrong, an i32, 0
// for none. Operations that come first in the program have the larger numbers,
// so that of several causes the first one is the maximum.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TRANSFORMS_VALIDATION_CAUSEBUILDER_H
#define TRITON_SHARED_TRANSFORMS_VALIDATION_CAUSEBUILDER_H

#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {

/// True for a number, a pointer, or a block of them: what has causes.
bool hasElements(Type type);

/// The type of a value's block of elements of another type.
Type withElement(Type type, Type element);

/// Makes operations beside those of the program, at one place of it.
class CauseBuilder {
public:
  CauseBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// The type of the causes of a value of type `type`.
  Type typeFor(Type type) const;
  /// The number `cause` for each element of a value of type `type`.
  Value constant(Type type, int32_t cause);
  /// The first cause of each element; both may be null.
  Value merge(Value lhs, Value rhs);
  /// `cause`, or null, where `condition`, a boolean or a block, holds, else
  /// `other`; null if both are.
  Value select(Value condition, Value cause, Value other);
  /// The number `cause` where `condition` holds.
  Value where(Value condition, int32_t cause);
  Value isAny(Value causes);
  Value isNone(Value causes);

  Value logicalAnd(Value lhs, Value rhs);
  Value logicalOr(Value lhs, Value rhs);
  Value logicalNot(Value condition);

  /// A scalar for each element of a block of type `type`.
  Value repeat(Value scalar, Type type);

  /// The largest cause along a dimension, of the shape that a reduction has.
  Value largest(Value causes, int32_t axis);
  Value smallest(Value causes, int32_t axis);
  /// The largest cause of all before each element along a dimension.
  Value largestBefore(Value causes, int32_t axis, bool reverse);
  /// The causes of a reduced block for each element of the block.
  Value expand(Value causes, int32_t axis, RankedTensorType like);

  /// `op`, which moves elements, on the causes of its operands: one for each
  /// result. Null stands for none.
  SmallVector<Value> mirror(Operation *op, ValueRange causes);

private:
  template <typename Op> Value reduce(Value causes, int32_t axis);

  OpBuilder &builder;
  Location loc;
};

/// True for operations that give back elements of their operands, at other
/// places.
bool movesElements(Operation *op);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_VALIDATION_CAUSEBUILDER_H
