//===- BufferSizes.h - What buffers take of memory --------------*- C++ -*-===//

#ifndef TRITON_SHARED_ANALYSIS_BUFFERSIZES_H
#define TRITON_SHARED_ANALYSIS_BUFFERSIZES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::triton_shared {

/// The bytes of a cache line, where every buffer begins.
inline constexpr int64_t kCacheLine = 64;

/// The bytes of a buffer of known size, whole cache lines.
inline int64_t getBufferBytes(MemRefType type) {
  int64_t width =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  int64_t bytes = type.getNumElements() * llvm::divideCeil(width, 8);
  return llvm::alignTo(std::max<int64_t>(bytes, 1), kCacheLine);
}

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_BUFFERSIZES_H
