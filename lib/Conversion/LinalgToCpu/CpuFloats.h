//===- CpuFloats.h - Floats that the CPU computes with ----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOCPU_CPUFLOATS_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOCPU_CPUFLOATS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::triton_shared {

/// True for scalars and vectors of f32 and f64; others are emulated.
inline bool isComputedByCpu(Type type) {
  return isa<Float32Type, Float64Type>(getElementTypeOrSelf(type));
}

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOCPU_CPUFLOATS_H
