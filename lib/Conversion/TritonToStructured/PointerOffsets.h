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
#include "PointerTypes.h"

#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {

/// True for a constant zero, scalar or block.
bool isZero(Value value);

/// `offset`, counted in units of `from` bytes, counted in units of `to` bytes,
/// which it is a multiple of.
Value rescale(OpBuilder &builder, Location loc, Value offset, int64_t from,
              int64_t to);

/// `scalar` as a value of `type`: itself, or a block of it.
Value splatTo(OpBuilder &builder, Location loc, Type type, Value scalar);

class PointerOffsets {
public:
  /// Remembers the base and the element type of every pointer in `function`
  /// before any of them changes its type.
  PointerOffsets(triton::FuncOp function, DataFlowSolver &solver);

  /// `pointer`, a scalar, starts at itself; its address in bytes is `address`.
  void setStart(Value pointer, Value address);
  /// The same for an argument, whose address is asked for if it is needed.
  void setArgument(BlockArgument argument);
  void set(Value pointer, Value offset) { offsets[pointer] = offset; }
  /// `pointer` is at `address`, in bytes.
  void setAddress(OpBuilder &builder, Location loc, Value pointer,
                  Value address);

  /// `value`, if it is a pointer, is from now on its own offset.
  void convertInPlace(Value value);

  /// True for a value that is, or was before the walk, a pointer.
  bool isPointer(Value value) const { return known.contains(value); }
  /// True for a pointer that others may start at, as itself does.
  bool isStart(Value pointer) const;
  /// The pointer type that `pointer` had.
  Type getType(Value pointer) const;

  /// The offset of `pointer` from its base, in units of `bytes`, which divide
  /// it.
  Value get(OpBuilder &builder, Location loc, Value pointer, int64_t bytes);
  /// The offset that `pointer` has where it becomes `target`: from the base of
  /// that, in its units.
  Value getAs(OpBuilder &builder, Location loc, Value pointer, Value target);
  /// The address of `pointer` in bytes.
  Value getAddress(OpBuilder &builder, Location loc, Value pointer);
  /// In how many bytes the offset of `pointer` is counted.
  int64_t getUnit(Value pointer) const;

  /// Where an access begins, as operands of it.
  struct Place {
    Value base;
    /// In elements.
    Value offset;
  };
  /// The place of an access through `pointer`. Of a block of pointers that may
  /// be no multiple of their elements from where they start, the addresses are
  /// taken to be such multiples.
  Place getPlace(OpBuilder &builder, Location loc, Value pointer);

private:
  struct Known {
    PointerBase base;
    Type type;
  };

  Value getStartAddress(Value start);
  /// `start`, or address zero if there is none, as a pointer of type `type`.
  Value getBase(Value start, triton::PointerType type);

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
