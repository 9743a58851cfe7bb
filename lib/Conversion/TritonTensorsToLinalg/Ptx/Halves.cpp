//===- Halves.cpp - Rounding to floats of 16 bits -------------------------===//
//
// What the rest of the compiler rounds to nearest and towards zero is rounded
// down and up from there.
//
//===----------------------------------------------------------------------===//

#include "Halves.h"

#include "../Libdevice/LibraryFunctions.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

/// What `OpTy` makes of the bits of `value`, a float, and `bit`, the lowest.
template <typename OpTy>
static Value changeLast(OpBuilder &builder, Location loc, Value value,
                        Value bit) {
  Value bits = joinLanes(builder, loc, value);
  Value last =
      resize(builder, loc, bit, value.getType().getIntOrFloatBitWidth(),
             /*isSigned=*/false);
  return getLane(builder, loc, make<OpTy>(builder, loc, bits, last), 0,
                 value.getType());
}

Value assembly::markInexact(OpBuilder &builder, Location loc, Value value,
                            Value isInexact) {
  return changeLast<arith::OrIOp>(builder, loc, value, isInexact);
}

/// An f64 as an f32 that rounds to 16 bits as it does. An integer that became
/// an f64 is not rounded to bf16 by way of f32 then, as MLIR would do it.
static Value cutToSingle(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isF32())
    return value;
  Value cut = findRoundedFunction("double2float_rz")(builder, loc, value,
                                                     builder.getF32Type());
  Value back = arith::ExtFOp::create(builder, loc, value.getType(), cut);
  return markInexact(builder, loc, cut,
                     arith::CmpFOp::create(
                         builder, loc, arith::CmpFPredicate::ONE, back, value));
}

Value assembly::narrowToHalf(OpBuilder &builder, Location loc, Value value,
                             FloatType type, StringRef mode) {
  if (mode != "rn" || !type.isF16())
    value = cutToSingle(builder, loc, value);
  if (mode == "rn")
    return arith::TruncFOp::create(builder, loc, type, value);
  Value cut = arith::TruncFOp::create(
      builder, loc, type, value,
      arith::RoundingModeAttr::get(builder.getContext(),
                                   arith::RoundingMode::toward_zero),
      arith::FastMathFlagsAttr());
  if (mode == "rz")
    return cut;
  // Away from zero is up in the bits, whatever the sign.
  arith::CmpFPredicate isBeyond =
      mode == "rp" ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT;
  return changeLast<arith::AddIOp>(
      builder, loc, cut,
      arith::CmpFOp::create(builder, loc, isBeyond, widen(builder, loc, cut),
                            value));
}
