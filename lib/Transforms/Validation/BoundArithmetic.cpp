//===- BoundArithmetic.cpp - How far off results may be -------------------===//
//
// Bounds are computed in f64, as what they bound: each rounding counts one of
// f64 besides, for the number without rounding is rounded so.
//
//===----------------------------------------------------------------------===//

#include "BoundArithmetic.h"
#include "FloatTracks.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::triton_shared;
using Predicate = arith::CmpFPredicate;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Two roundings of f64.
static constexpr double kOwnError = 0x1p-52;

double triton_shared::getUnitRoundoff(FloatType type) {
  return std::ldexp(1.0, -static_cast<int>(type.getFPMantissaWidth()));
}

double triton_shared::getSmallest(FloatType type) {
  APFloat smallest = APFloat::getSmallest(type.getFloatSemantics());
  bool losesInfo;
  smallest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
  return smallest.convertToDouble();
}

static double getLargest(FloatType type) {
  APFloat largest = APFloat::getLargest(type.getFloatSemantics());
  bool losesInfo;
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return largest.convertToDouble();
}

Value BoundArithmetic::constant(Type like, double number) {
  TypedAttr value =
      FloatAttr::get(getElementTypeOrSelf(like), widenToReal(APFloat(number)));
  if (auto block = dyn_cast<RankedTensorType>(like))
    value = DenseElementsAttr::get(block, Attribute(value));
  return arith::ConstantOp::create(builder, loc, value);
}

Value BoundArithmetic::add(Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b);
}

Value BoundArithmetic::subtract(Value a, Value b) {
  return arith::SubFOp::create(builder, loc, a, b);
}

Value BoundArithmetic::multiply(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}

Value BoundArithmetic::size(Value a) {
  return math::AbsFOp::create(builder, loc, a);
}

Value BoundArithmetic::larger(Value a, Value b) {
  return arith::MaximumFOp::create(builder, loc, a, b);
}

Value BoundArithmetic::compare(Predicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}

Value BoundArithmetic::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

Value BoundArithmetic::scale(Value factor, Value bound) {
  Value zero = constant(bound.getType(), 0.0);
  return select(compare(Predicate::OEQ, bound, zero), zero,
                multiply(factor, bound));
}

Value BoundArithmetic::scale(double factor, Value bound) {
  return multiply(constant(bound.getType(), factor), bound);
}

Value BoundArithmetic::round(Value value, Value carried,
                             const Rounding &rounding) {
  Type like = value.getType();
  Value infinity = constant(like, kInfinity);
  Value extent = size(value);
  Value reach = add(extent, carried);
  double relative = 2 * rounding.units * getUnitRoundoff(rounding.type);
  Value bound = add(carried, scale(relative + kOwnError, reach));
  if (rounding.smallest != 0.0)
    bound = add(bound, constant(like, rounding.smallest));
  // What may be larger than all numbers of the type may be infinity.
  Value overflows =
      compare(Predicate::OGT, reach, constant(like, getLargest(rounding.type)));
  bound = select(overflows, infinity, bound);
  // Infinity is right where its operands say so for certain.
  Value isInfinite = compare(Predicate::OEQ, extent, infinity);
  Value isCertain = compare(Predicate::OLT, carried, infinity);
  Value exact = arith::AndIOp::create(builder, loc, isInfinite, isCertain);
  return select(exact, constant(like, 0.0), bound);
}

Value BoundArithmetic::ofProduct(Bounded a, Bounded b) {
  Value ofA = scale(add(size(b.value), b.bound), a.bound);
  return add(ofA, scale(size(a.value), b.bound));
}

Value BoundArithmetic::ofQuotient(Value value, Bounded a, Bounded b) {
  Type like = value.getType();
  Value zero = constant(like, 0.0);
  Value distance = subtract(size(b.value), b.bound);
  Value moved = add(a.bound, scale(size(value), b.bound));
  Value bound = arith::DivFOp::create(builder, loc, moved, distance);
  Value reachesZero = compare(Predicate::OLE, distance, zero);
  bound = select(reachesZero, constant(like, kInfinity), bound);
  Value isExact = compare(Predicate::OEQ, add(a.bound, b.bound), zero);
  return select(isExact, zero, bound);
}

Value BoundArithmetic::ofMonotone(Value value, Bounded a,
                                  llvm::function_ref<Value(Value)> compute) {
  Value zero = constant(value.getType(), 0.0);
  Value below = compute(subtract(a.value, a.bound));
  Value above = compute(add(a.value, a.bound));
  Value moved =
      larger(size(subtract(above, value)), size(subtract(value, below)));
  return select(compare(Predicate::OEQ, a.bound, zero), zero, moved);
}
