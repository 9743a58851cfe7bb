//===- DeviceLibrary.h - NVIDIA's library of functions ----------*- C++ -*-===//

#ifndef TRITON_SHARED_TARGET_DEVICELIBRARY_H
#define TRITON_SHARED_TARGET_DEVICELIBRARY_H

#include "llvm/ADT/StringRef.h"

namespace mlir::triton_shared {

/// What its names begin with; behind that it calls functions as the C library
/// does: `__nv_hypotf`.
inline constexpr llvm::StringLiteral kDeviceFunctionPrefix = "__nv_";

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_DEVICELIBRARY_H
