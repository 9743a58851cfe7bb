//===- PointerTypes.h - What pointers point to in memory --------*- C++ -*-===//
//
// A pointer, scalar or block, is converted to an offset; these are the types
// and sizes on both sides of that.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTERTYPES_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTERTYPES_H

#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {

/// True for a pointer to a scalar and for a block of such pointers.
bool isPointerLike(Type type);

/// True for a pointer to a scalar that is no block.
bool isScalarPointer(Type type);

/// i64, or a block of i64 of the same shape.
Type getOffsetType(Type pointer);

/// The type of the pointee as it lies in memory: `i8` for `i1`, `i64` for a
/// pointer.
Type getMemoryElementType(Type pointer);

/// The type of a base for accesses through `pointer`, in its address space.
triton::PointerType getBaseType(Type pointer);

/// Bytes of an element in memory.
int64_t getElementBytes(Type pointer);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTOSTRUCTURED_POINTERTYPES_H
