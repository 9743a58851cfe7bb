//===- GlobalMemory.h - Loads and stores under a predicate ------*- C++ -*-===//
//
// PTX predicates any instruction; LLVM has no such load. Accesses that always
// happen are LLVM's, so that it may optimise them, the others inline assembly.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_CTATOGPU_GLOBALMEMORY_H
#define TRITON_SHARED_LIB_CONVERSION_CTATOGPU_GLOBALMEMORY_H

#include "mlir/IR/Builders.h"

namespace mlir::triton_shared {

/// Loads neighbours from global memory: a vector of `type`. Where `predicate`
/// (i1, may be null: true) is false, gives `other`, or zero if that is null.
/// The address is a multiple of the size of the vector.
Value createGlobalLoad(OpBuilder &builder, Location loc, VectorType type,
                       Value pointer, Value predicate, Value other,
                       bool isVolatile);

/// Stores neighbours if `predicate` (may be null: true) is true.
void createGlobalStore(OpBuilder &builder, Location loc, Value vector,
                       Value pointer, Value predicate);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_CTATOGPU_GLOBALMEMORY_H
