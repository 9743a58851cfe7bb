//===- Assembly.h - Kernels that hold assembly ------------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_ASSEMBLY_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_ASSEMBLY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::triton_shared {

/// True if `function` holds assembly that stays what it is: it may ask for the
/// threads of the program, so that their number is the author's business.
bool hasAssembly(func::FuncOp function);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_ASSEMBLY_H
