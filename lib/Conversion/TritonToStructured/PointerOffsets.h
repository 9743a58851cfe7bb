//===- PointerOffsets.h - The offset of every pointer so far ----*- C++ -*-===//
//
// The state of the walk of PointerPass.cpp: which integer stands for a pointer
// and what it counts from.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTEROFFSETS_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTEROFFSETS_H

#include "PointerBases.h"
#include "PointerParts.h"

#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {

/// True for a pointer to a scalar and for a block of such pointers.
bool isPointerLike(Type type);

/// i64, or a block of i64 of the same shape.
Type getOffsetType(Type pointer);

/// The type of the pointee as it lies in memory: `i8` for `i1`, `i64` for a
/// pointer.
Type getMemoryElementType(Type pointer);

/// Bytes of an element in memory.
int64_t getElementBytes(Type pointer);

/// True for a constant zero, scalar or block.
bool isZero(Value value);

/// `offset`, counted in units of `from` bytes, counted in units of `to` bytes.
Value rescale(OpBuilder &builder, Location loc, Value offset, int64_t from,
              int64_t to);

/// `scalar` as a value of `type`: itself, or a block of it.
Value splatTo(OpBuilder &builder, Location loc, Type type, Value scalar);

class PointerOffsets {
public:
  /// Remembers the base and the element type of every pointer in `function`
  /// before any of them changes its type.
  PointerOffsets(triton::FuncOp function, DataFlowSolver &solver);

  /// `argument` starts at itself.
  void setArgument(BlockArgument argument);
  void set(Value pointer, Value offset) { offsets[pointer] = offset; }

  /// `value`, if it is a pointer, is from now on its own offset.
  void convertInPlace(Value value);

  /// True for a value that is, or was before the walk, a pointer.
  bool isPointer(Value value) const { return known.contains(value); }
  PointerBase getBase(Value pointer) const;
  /// The pointer type that `pointer` had.
  Type getType(Value pointer) const;

  /// The offset of `pointer` in elements from its own base.
  Value get(OpBuilder &builder, Location loc, Value pointer);
  /// The offset of `pointer` in elements from `base`: its own, or zero.
  Value get(OpBuilder &builder, Location loc, Value pointer, PointerBase base);
  /// The address of `pointer` in bytes.
  Value getAddress(OpBuilder &builder, Location loc, Value pointer);

  /// The base of `pointer` as an operand of an access.
  Value getBaseOf(Value pointer);

private:
  struct Known {
    PointerBase base;
    Type type;
  };

  Value getArgumentAddress(Value argument);

  triton::FuncOp function;
  DenseMap<Value, Known> known;
  DenseMap<Value, Value> offsets;
  DenseMap<std::pair<Value, Type>, Value> bases;
  DenseMap<Value, Value> addresses;
};

/// The `tts` form of a scalar or block access of `tt` and what it gives, or
/// nothing if `op` is no such access. Pointers that are read are given as
/// addresses.
std::optional<SmallVector<Value>> lowerAccess(OpBuilder &builder, Operation *op,
                                              PointerOffsets &offsets);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTEROFFSETS_H
