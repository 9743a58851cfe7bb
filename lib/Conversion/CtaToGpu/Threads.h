//===- Threads.h - What a thread knows about its elements -------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_CTATOGPU_THREADS_H
#define TRITON_SHARED_LIB_CONVERSION_CTATOGPU_THREADS_H

#include "mlir/IR/Builders.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// This thread's number within its CTA, lane within its warp, and warp: i32.
Value createThreadId(OpBuilder &builder, Location loc);
Value createLane(OpBuilder &builder, Location loc);
Value createWarp(OpBuilder &builder, Location loc);

/// The exclusive or of coordinate `dim` of those `bases` whose bits `number`
/// has: i32, or null if none of them has such a coordinate.
Value createCombination(OpBuilder &builder, Location loc, Value number,
                        const cta::LinearLayout::Bases &bases, unsigned dim);

/// The part of coordinate `dim` that lane and warp decide: i32.
Value createThreadCoordinate(OpBuilder &builder, Location loc,
                             const cta::LinearLayout &layout, unsigned dim);

/// The coordinates of the elements of one thread, register by register. Those
/// of `origin`, if given, are added to all.
class ElementCoordinates {
public:
  ElementCoordinates(OpBuilder &builder, Location loc,
                     const cta::LinearLayout &layout,
                     const cta::Coordinates &origin = {});

  /// Coordinate `dim` of register `reg`: i32.
  Value get(unsigned reg, unsigned dim);
  /// The same as a sum of a value, which several registers share, and a
  /// constant, which fits into an instruction.
  std::pair<Value, int32_t> split(unsigned reg, unsigned dim);

  /// Turns over, in coordinate `dim` of all elements, the bits that `by` (i32)
  /// has: some of `bits`.
  void flip(unsigned dim, Value by, int32_t bits);

private:
  /// The thread's part with the bits `changed` turned over.
  Value getChanged(unsigned dim, int32_t changed);
  int32_t getOfRegister(unsigned reg, unsigned dim) const;

  OpBuilder &builder;
  Location loc;
  cta::LinearLayout layout;
  cta::Coordinates origin;
  SmallVector<Value> ofThread;
  /// The bits that differ between threads, or that were turned over: only these
  /// cannot be added.
  SmallVector<int32_t> threadBits;
  DenseMap<std::pair<unsigned, int32_t>, Value> made;
};

/// True in one of the threads that hold the same elements: i1. Null if no two
/// threads do.
Value createIsFirstHolder(OpBuilder &builder, Location loc,
                          const cta::LinearLayout &layout);

Value createI32(OpBuilder &builder, Location loc, int64_t value);
Value createI64(OpBuilder &builder, Location loc, int64_t value);

/// Waits until all threads of the program are here: not who copies for them.
void createBarrier(OpBuilder &builder, Location loc);

//===----------------------------------------------------------------------===//
// Vectors of registers
//===----------------------------------------------------------------------===//

/// How an element is held: 8-bit floats are integers, of which every operation
/// has been spelled out.
Type getRegisterType(Type elementType);

SmallVector<Value> unpackRegisters(OpBuilder &builder, Location loc,
                                   Value vector);
Value packRegisters(OpBuilder &builder, Location loc, ValueRange elements);
/// Register `i` of the result is register `sources[i]` of `vector`.
Value shuffleRegisters(OpBuilder &builder, Location loc, Value vector,
                       ArrayRef<unsigned> sources);
Value createVectorSplat(OpBuilder &builder, Location loc, Value scalar,
                        unsigned count);

/// Applies an intrinsic of scalars to scalars, or to each register. The result
/// has the type of the operands, each call the attributes `marks`.
Value applyIntrinsic(OpBuilder &builder, Location loc, StringRef name,
                     ValueRange operands, DictionaryAttr marks = {});

/// The square root of an f32, rounded once.
inline constexpr llvm::StringLiteral kExactRootF32 = "llvm.nvvm.sqrt.rn.f";

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_CTATOGPU_THREADS_H
