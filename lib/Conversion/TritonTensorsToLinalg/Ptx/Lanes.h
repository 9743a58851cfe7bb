//===- Lanes.h - Numbers in the bits of a register --------------*- C++ -*-===//
//
// A register holds one number, or two or four parts of its width.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PTX_LANES_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PTX_LANES_H

#include "InlineAssembly.h"

namespace mlir::triton_shared::assembly {

/// What `OpTy` makes of two numbers.
template <typename OpTy>
Value make(OpBuilder &builder, Location loc, Value x, Value y) {
  return OpTy::create(builder, loc, x, y);
}

/// The constant `value` in `width` bits.
Value createBits(OpBuilder &builder, Location loc, unsigned width,
                 int64_t value);

/// The integer `value` in more or fewer bits.
Value resize(OpBuilder &builder, Location loc, Value value, unsigned width,
             bool isSigned);

FloatType getFloatType(MLIRContext *context, NumberType type);

/// Lane number `lane` of `bits` as a number of `type`, lanes being as wide as
/// it is.
Value getLane(OpBuilder &builder, Location loc, Value bits, unsigned lane,
              Type type);

/// One integer with the bits of `lanes`, the first one lowest.
Value joinLanes(OpBuilder &builder, Location loc, ValueRange lanes);

/// `value`, an integer, between the ends of type `to`, still in its own width.
Value clampTo(OpBuilder &builder, Location loc, Value value, bool isSigned,
              NumberType to);

/// `value`, or a zero of its sign if it is subnormal.
Value flushSubnormal(OpBuilder &builder, Location loc, Value value);

/// `value` between 0 and 1; NaN becomes 0.
Value saturateToUnit(OpBuilder &builder, Location loc, Value value);

/// `value`, or the end of `format`'s numbers that it is beyond; NaN stays.
Value saturateTo(OpBuilder &builder, Location loc, Value value,
                 const llvm::fltSemantics &format);

/// `value`, or 0 if it is negative; NaN stays.
Value rectify(OpBuilder &builder, Location loc, Value value);

/// Computes a float from floats of one type.
using ComputeFloat = std::function<Value(OpBuilder &, Location, ValueRange)>;

/// What is done to numbers before and after something is computed of them.
struct FloatLimits {
  bool flushes = false, saturates = false, rectifies = false;
};

/// `compute` in each lane of `count` numbers of `type`.
Rule onFloatLanes(NumberType type, unsigned count, ComputeFloat compute,
                  FloatLimits limits);

/// What an instruction takes two numbers from: two f32, of which the first is
/// the upper one, or the halves of a register.
struct PairSource {
  NumberType type;

  bool isRegister() const { return type.lanes == 2; }
  bool isKnown() const;
  SmallVector<Slot, 4> getSlots() const;
  /// Number `lane` of them, 0 being the lower one.
  Value getNumber(OpBuilder &builder, Location loc, ValueRange in,
                  unsigned lane) const;
};

/// The float `value`, of 32 bits or less, as f32.
Value widen(OpBuilder &builder, Location loc, Value value);

/// One integer with the patterns `codes`, each an i32, in places of `place`
/// bits, the first one lowest.
Value joinPlaces(OpBuilder &builder, Location loc, ValueRange codes,
                 unsigned place);

/// An i32 with bit number `from` of `bits` and those above it.
Value getBitsFrom(OpBuilder &builder, Location loc, Value bits, unsigned from);

} // namespace mlir::triton_shared::assembly

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PTX_LANES_H
