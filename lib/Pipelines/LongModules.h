//===- LongModules.h - What passes do to long kernels -----------*- C++ -*-===//
//
// The operations of a long kernel do not fit into the caches of a CPU: every
// walk over all of them waits for memory, the more the further apart they lie.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_PIPELINES_LONGMODULES_H
#define TRITON_SHARED_LIB_PIPELINES_LONGMODULES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::triton_shared {

/// True for a module that does not fit into a CPU's caches.
bool isLong(ModuleOp module);

/// Does the `work` of a phase after which `others` will follow. Passes leave
/// operations anywhere, between the holes that others have left; walks over
/// those of a long kernel wait for memory. Each phase of one begins with a copy
/// in an empty heap: a thread's of its own or, the next time, that of this
/// thread, where the one before has left nothing. The last one is of this
/// thread, so that LLVM may have the other.
LogicalResult runInOrder(ModuleOp module, unsigned others,
                         function_ref<LogicalResult()> work);

/// Does `work` on a few functions of `module` after the other, each time in a
/// module of their own that fits into caches, and that lies in order in an
/// empty heap. It may declare functions besides; of those that several parts
/// declare, one is kept. The order of functions stays.
LogicalResult runInParts(ModuleOp module,
                         function_ref<LogicalResult(ModuleOp)> work);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_PIPELINES_LONGMODULES_H
