//===- MemoryEffects.h - What a function of the runtime touches -*- C++ -*-===//

#ifndef TRITON_SHARED_TRANSFORMS_MEMORYEFFECTS_H
#define TRITON_SHARED_TRANSFORMS_MEMORYEFFECTS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::triton_shared {

/// On the declaration of a function of the runtime: upstream's
/// `#llvm.memory_effects`, where it says more than that anything may happen.
inline constexpr llvm::StringLiteral kMemoryEffects = "llvm.memory_effects";

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_MEMORYEFFECTS_H
