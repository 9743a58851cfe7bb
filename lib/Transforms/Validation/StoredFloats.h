//===- StoredFloats.h - What depends on how floats are stored --*- C++ -*--===//
//
// Rewrites that put something else in the place of every float ask where floats
// are, and which operations cannot do without their bits.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_STOREDFLOATS_H
#define TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_STOREDFLOATS_H

#include "mlir/IR/Operation.h"

namespace mlir::triton_shared {

/// The type that blocks, pointers and descriptors lead to: `f16` of
/// `tensor<4x!tt.ptr<f16>>`.
Type getNumberType(Type type);

/// Whether `op` takes or makes what leads to a number that `isOne` is true of.
bool hasNumbers(Operation *op, llvm::function_ref<bool(Type)> isOne);

/// Why `op`, which has floats, needs them as they are stored; empty if it does
/// not. Casts of bits are not among these: some say nothing.
StringRef findNeedOfStorage(Operation *op);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_VALIDATION_STOREDFLOATS_H
