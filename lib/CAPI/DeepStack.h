//===- DeepStack.h - Room for recursion -------------------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CAPI_DEEPSTACK_H
#define TRITON_SHARED_LIB_CAPI_DEEPSTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::triton_shared {

/// Runs `work` on a thread of its own and returns when it has ended. Parsers
/// and analyses recurse as deep as a kernel nests, or as its chains of
/// operations are long: an unrolled loop makes tens of thousands. The caller's
/// stack is as large as whoever started its thread thought right.
void runWithDeepStack(llvm::function_ref<void()> work);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CAPI_DEEPSTACK_H
