//===- SharedMemory.h - Tiles in the memory of a CTA ------------*- C++ -*-===//
//
// All shared memory of a kernel is one array whose size the launch decides. An
// operation that exchanges data finds its part of it at `cta.shared_offset`.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_CTATOGPU_SHAREDMEMORY_H
#define TRITON_SHARED_LIB_CONVERSION_CTATOGPU_SHAREDMEMORY_H

#include "Threads.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Layout/SharedAccess.h"

namespace mlir::triton_shared {

/// The address space of shared memory in NVVM.
inline constexpr unsigned kSharedSpace = 3;
/// The symbol of the array.
inline constexpr llvm::StringLiteral kSharedSymbol = "cta_shared";

/// How an element lies in shared memory: booleans and indices as integers.
Type getSharedType(Type elementType);

/// The address of the part of `op` in the array.
Value createSharedPointer(OpBuilder &builder, Location loc, Operation *op,
                          int64_t skipBytes = 0);

/// Lets products that read shared memory themselves see what this thread has
/// written there, once a barrier has followed.
void createProductFence(OpBuilder &builder, Location loc);

/// The addresses of the elements of one thread; those that lie at constant
/// distances share one computation.
class SharedPointers {
public:
  /// Elements of a type of shared memory at offsets `placed` from `base`; those
  /// of `start` are added.
  SharedPointers(OpBuilder &builder, Location loc, Value base, Type elementType,
                 const cta::LinearLayout &placed, int32_t start = 0);

  Value get(unsigned reg);

  /// As `ElementCoordinates::flip`, of offsets.
  void flip(Value by, int32_t bits);

private:
  Value advance(Value from, LLVM::GEPArg by);

  OpBuilder &builder;
  Location loc;
  Value base;
  Type elementType;
  ElementCoordinates offsets;
  DenseMap<Value, Value> made;
};

/// A tile in shared memory.
class SharedTile {
public:
  /// The part of `op`, `skipBytes` behind its beginning; row-major.
  SharedTile(Operation *op, RankedTensorType type, int64_t skipBytes = 0);
  /// The same, in `layout`.
  SharedTile(Operation *op, RankedTensorType type,
             const cta::SharedLayout &layout, int64_t skipBytes = 0);
  /// At the address `base`, in `layout`.
  SharedTile(Value base, Type elementType, const cta::SharedLayout &layout);

  /// Writes what each thread holds of it in `vector`.
  void store(OpBuilder &builder, Location loc, Value vector,
             const cta::LinearLayout &held) const;
  /// Reads what each thread should hold under `held`, of the part of the tile
  /// that begins at `origin`.
  Value load(OpBuilder &builder, Location loc, const cta::LinearLayout &held,
             const cta::Coordinates &origin = {}) const;
  /// The same where the offset of `origin` is not all that the part begins at:
  /// `start` (i32, or null) turns over some of `startBits` of it.
  Value loadFrom(OpBuilder &builder, Location loc,
                 const cta::LinearLayout &held, const cta::Coordinates &origin,
                 Value start, int32_t startBits) const;
  /// The element at an offset, which is the row-major index unless the tile has
  /// a layout of its own: i32.
  Value loadElement(OpBuilder &builder, Location loc, Value index) const;

  /// The addresses of what each thread holds at the offsets `placed`.
  SharedPointers createPointers(OpBuilder &builder, Location loc,
                                const cta::LinearLayout &placed,
                                int32_t start = 0) const;
  /// The address of the element at an offset.
  Value createPointer(OpBuilder &builder, Location loc, Value index) const;

private:
  Value createBase(OpBuilder &builder, Location loc) const;
  /// The offset of the part that begins at `origin`.
  int32_t getStart(const cta::Coordinates &origin) const;
  Value loadMatrices(OpBuilder &builder, Location loc,
                     const cta::LinearLayout &placed,
                     const cta::MatrixAccess &access, int32_t start) const;
  void storePieces(OpBuilder &builder, Location loc, Value vector,
                   const cta::LinearLayout &placed) const;
  void storeMatrices(OpBuilder &builder, Location loc, Value vector,
                     const cta::LinearLayout &placed,
                     const cta::MatrixAccess &access) const;

  /// Either the operation or the address that it begins at.
  Operation *op = nullptr;
  Value base;
  Type elementType;
  cta::SharedLayout layout;
  int64_t skipBytes = 0;
};

/// The tile in a slot (i32) of `buffer`, which is now an address.
SharedTile createSlot(OpBuilder &builder, Location loc, cta::BufferType type,
                      Value buffer, Value slot);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_CTATOGPU_SHAREDMEMORY_H
