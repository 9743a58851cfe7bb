//===- Warpgroups.h - Who may use products of four warps --------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_WARPGROUPS_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_WARPGROUPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::triton_shared {

/// True if matrix products of `function` can be computed by `wgmma`: its GPU
/// has it, warps come in groups of four, and it makes no calls, for messages of
/// its author, beside which ptxas lets no product go on.
bool mayUseWarpgroups(func::FuncOp function);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_WARPGROUPS_H
