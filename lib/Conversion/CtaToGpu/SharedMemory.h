//===- SharedMemory.h - Tiles in the memory of a CTA ------------*- C++ -*-===//
//
// All shared memory of a kernel is one array whose size the launch decides. An
// operation that exchanges data finds its part of it at `cta.shared_offset`.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_CTATOGPU_SHAREDMEMORY_H
#define TRITON_SHARED_LIB_CONVERSION_CTATOGPU_SHAREDMEMORY_H

#include "mlir/IR/Builders.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"

namespace mlir::triton_shared {

/// Attribute of an operation: where its part of shared memory begins, in bytes.
inline constexpr llvm::StringLiteral kSharedOffset = "cta.shared_offset";
/// The symbol of the array.
inline constexpr llvm::StringLiteral kSharedSymbol = "cta_shared";

/// How many bytes of shared memory `op` needs while it runs; 0 if none.
int64_t getSharedBytes(Operation *op);
int64_t getReduceSharedBytes(cta::ReduceOp op);
int64_t getScanSharedBytes(cta::ScanOp op);
int64_t getDotSharedBytes(cta::DotOp op);
int64_t getMatrixDotSharedBytes(cta::DotOp op, const cta::MmaInstruction &mma);
int64_t getAtomicSharedBytes(Operation *op);

/// How an element lies in shared memory: booleans and indices as integers.
Type getSharedType(Type elementType);
int64_t getSharedTypeBytes(Type elementType);

/// A tile in shared memory, row-major in the order of its dimensions.
class SharedTile {
public:
  /// The part of `op`, `skipBytes` behind its beginning.
  SharedTile(Operation *op, RankedTensorType type, int64_t skipBytes = 0)
      : op(op), type(type), skipBytes(skipBytes) {}

  /// What it takes, so that the next tile begins where the widest access may.
  int64_t getBytes() const;

  /// Writes what each thread holds of it in `vector`.
  void store(OpBuilder &builder, Location loc, Value vector,
             const cta::LinearLayout &layout) const;
  /// Reads what each thread should hold under `layout`.
  Value load(OpBuilder &builder, Location loc,
             const cta::LinearLayout &layout) const;
  /// The element at a row-major index: i32.
  Value loadElement(OpBuilder &builder, Location loc, Value index) const;

  /// The address of the element at a row-major index.
  Value createPointer(OpBuilder &builder, Location loc, Value index) const;

private:
  /// From hardware index to row-major index.
  cta::LinearLayout flatten(const cta::LinearLayout &layout) const;

  Operation *op;
  RankedTensorType type;
  int64_t skipBytes;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_CTATOGPU_SHAREDMEMORY_H
