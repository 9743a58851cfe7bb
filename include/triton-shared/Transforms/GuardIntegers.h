//===- GuardIntegers.h - What guard-integers leaves alone -------*- C++ -*-===//

#ifndef TRITON_SHARED_TRANSFORMS_GUARDINTEGERS_H
#define TRITON_SHARED_TRANSFORMS_GUARDINTEGERS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::tts {

/// A discardable attribute of a remainder: it divides by the size at which an
/// access wraps around, and where that is zero, nothing is accessed.
inline constexpr llvm::StringLiteral kSizeAsDivisor = "tts.size_as_divisor";

} // namespace mlir::tts

#endif // TRITON_SHARED_TRANSFORMS_GUARDINTEGERS_H
