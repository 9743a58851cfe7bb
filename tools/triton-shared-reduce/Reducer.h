//===- Reducer.h - The smallest module that still fails ---------*- C++ -*-===//

#ifndef TRITON_SHARED_TOOLS_REDUCER_H
#define TRITON_SHARED_TOOLS_REDUCER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::triton_shared {

/// Whether a module still shows the problem.
using InterestingnessTest = function_ref<bool(ModuleOp)>;

/// Takes operations away, many at once at first, as long as `isInteresting`:
/// results become `ub.poison`, and what is not used any more goes, too. What is
/// left needs every single operation.
OwningOpRef<ModuleOp> reduceModule(ModuleOp module,
                                   InterestingnessTest isInteresting);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TOOLS_REDUCER_H
