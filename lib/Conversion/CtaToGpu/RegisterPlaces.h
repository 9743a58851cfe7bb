//===- RegisterPlaces.h - Places that a thread compares ---------*- C++ -*-===//
//
// A choice like that of `tl.argmax` takes along where each element was. Within
// a thread those places differ by constants: only they go through the choices,
// and which of two comes first is known before.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_CTATOGPU_REGISTERPLACES_H
#define TRITON_SHARED_LIB_CONVERSION_CTATOGPU_REGISTERPLACES_H

#include "Combine.h"

namespace mlir::triton_shared {

/// The operands of one reduction that are places along its axis, while its
/// registers are combined.
class RegisterPlaces {
public:
  /// Takes from `values`, which are what a thread holds of `op`'s operands, the
  /// part of places that all registers share.
  RegisterPlaces(cta::ReduceOp op, OpBuilder &builder, Registers &values);

  /// The comparisons of places that have one answer, whatever two registers
  /// have come to hold.
  IRMapping compare(OpBuilder &builder, unsigned left, unsigned right);
  /// Notes that pairs of registers, `step` apart, are one from now on.
  void joinPairs(unsigned step);

  /// Gives places the part back that was taken.
  void restore(OpBuilder &builder, Registers &values);

private:
  /// The least and the greatest that a register may hold.
  struct Range {
    int64_t least, greatest;
  };
  struct Operand {
    unsigned number;
    Value shared;
    SmallVector<Range> ranges;
  };

  cta::ReduceOp op;
  SmallVector<Operand, 1> operands;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_CTATOGPU_REGISTERPLACES_H
