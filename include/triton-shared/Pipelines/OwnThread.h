//===- OwnThread.h - Room for recursion, and for what is made ---*- C++ -*-===//

#ifndef TRITON_SHARED_PIPELINES_OWNTHREAD_H
#define TRITON_SHARED_PIPELINES_OWNTHREAD_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::triton_shared {

/// Runs `work` on a thread of its own and returns when it has ended.
///
/// Its stack is deep. Parsers and analyses recurse as deep as a kernel nests,
/// or as its chains of operations are long: an unrolled loop makes tens of
/// thousands. The caller's stack is as large as whoever started its thread
/// thought right.
///
/// Its heap is another than the caller's, which glibc's malloc has for each
/// thread that runs, and has no holes. What is made one after the other lies
/// side by side there, and not wherever the caller's heap had room.
void runOnOwnThread(llvm::function_ref<void()> work);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_PIPELINES_OWNTHREAD_H
