//===- Atomics.h - Atomic updates of single elements ------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_CTATOGPU_ATOMICS_H
#define TRITON_SHARED_LIB_CONVERSION_CTATOGPU_ATOMICS_H

#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::triton_shared {

/// What the threads of the CTA have written is visible to whom the updates
/// that follow are.
void createRelease(OpBuilder &builder, Location loc, tts::MemoryOrder order,
                   tts::MemoryScope scope);

/// What the updates of `op`, before, have made visible to the acting threads is
/// so to all threads of the CTA. `hasBarrier` says that they wait for each
/// other anyway. Nothing, if the program ends without another access.
void createAcquire(OpBuilder &builder, Operation *op, tts::MemoryOrder order,
                   tts::MemoryScope scope, bool hasBarrier);

/// PTX's name of a scope.
StringRef getPtxScope(tts::MemoryScope scope);

/// Updates one element and gives its old value; if nobody needs that, perhaps
/// zero.
Value updateElement(OpBuilder &builder, Location loc, tts::AtomicKind kind,
                    tts::MemoryScope scope, Value pointer, Value value,
                    bool isUsed);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_CTATOGPU_ATOMICS_H
