//===- BoundArithmetic.h - How far off results may be ----------*- C++ -*--===//
//
// Writes arithmetic on numbers that go along with bounds of their errors
// (running error analysis). A bound of infinity, or none, says that nothing is
// known.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_BOUNDARITHMETIC_H
#define TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_BOUNDARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::triton_shared {

/// A number, or a block of them, without rounding, and how far off it may be.
struct Bounded {
  Value value;
  Value bound;
};

/// What computing a number may add to its error.
struct Rounding {
  /// The type of the result.
  FloatType type;
  /// How many units in the last place it may be off; one half is once rounded.
  double units = 0.5;
  /// What the error may be besides, however small the result.
  double smallest = 0.0;
};

/// The largest relative error of one rounding to `type`.
double getUnitRoundoff(FloatType type);

/// Half of the smallest number of a type: what a result that is smaller loses.
double getSmallest(FloatType type);

/// Writes arithmetic on numbers and bounds.
class BoundArithmetic {
public:
  BoundArithmetic(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc) {}

  Value constant(Type like, double number);
  Value add(Value a, Value b);
  Value subtract(Value a, Value b);
  Value multiply(Value a, Value b);
  Value size(Value a);
  /// The larger one; NaN if one of them is.
  Value larger(Value a, Value b);
  Value compare(arith::CmpFPredicate predicate, Value a, Value b);
  Value select(Value condition, Value a, Value b);
  /// `factor * bound`, and zero where the bound is zero.
  Value scale(Value factor, Value bound);
  Value scale(double factor, Value bound);

  /// `value`, of which the operands' errors make `carried`, rounded.
  Value round(Value value, Value carried, const Rounding &rounding);
  /// The error of a product that those of its factors make.
  Value ofProduct(Bounded a, Bounded b);
  /// That of a quotient, `value`.
  Value ofQuotient(Value value, Bounded a, Bounded b);
  /// That of a function without a turning point between the operand's bounds.
  Value ofMonotone(Value value, Bounded a,
                   llvm::function_ref<Value(Value)> compute);

private:
  OpBuilder &builder;
  Location loc;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_BOUNDARITHMETIC_H
