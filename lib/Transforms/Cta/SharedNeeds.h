//===- SharedNeeds.h - What a program needs beside its rings ----*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_SHAREDNEEDS_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_SHAREDNEEDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::triton_shared {

/// Bytes of shared memory that suffice for all that `function` needs but what
/// `inRings` load or store, before it has buffers: operands of products,
/// exchanges between warps, and stores by the copy engine. Products in `others`
/// find room elsewhere.
int64_t countOtherSharedBytes(func::FuncOp function,
                              const llvm::SmallDenseSet<Operation *> &inRings,
                              ArrayRef<scf::ForOp> others);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_SHAREDNEEDS_H
