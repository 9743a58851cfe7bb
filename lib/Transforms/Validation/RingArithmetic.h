//===- RingArithmetic.h - Numbers whose sums have no order -----*- C++ -*--===//
//
// A float becomes an integer of 64 bits, in which sums and products wrap: their
// order, and where they are rounded, no longer matters. A whole number is
// itself; any other float, and the result of any other function, is an odd
// number that looks random and depends on the operand alone.
// python/triton_shared/diff/ring.py embeds floats in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_RINGARITHMETIC_H
#define TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_RINGARITHMETIC_H

#include "mlir/IR/Builders.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {

/// The number in the ring that stands for `value`.
int64_t embedInRing(const APFloat &value);

/// Writes arithmetic of the ring, on numbers and on blocks of them.
class Ring {
public:
  Ring(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value add(Value a, Value b);
  Value subtract(Value a, Value b);
  Value multiply(Value a, Value b);
  Value negate(Value a);
  Value divide(Value a, Value b);
  /// What the function `name` makes of `operands`, and of nothing else.
  Value apply(StringRef name, ValueRange operands);
  /// `a * b + c` for matrices, or batches of them.
  Value multiplyMatrices(Value a, Value b, Value c);
  /// A number of the type of `like`.
  Value constant(Type like, int64_t number);

private:
  Value mix(Value a);
  Value shiftRight(Value a, int64_t bits);
  Value replaceAt(Value operand, int64_t at, Value result, int64_t by);
  SmallVector<Value> splitIntoBytes(Value a);

  OpBuilder &builder;
  Location loc;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_RINGARITHMETIC_H
