//===- Boxes.h - Who asks the copy engine -----------------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_CTATOGPU_BOXES_H
#define TRITON_SHARED_LIB_CONVERSION_CTATOGPU_BOXES_H

#include "mlir/IR/Builders.h"

namespace mlir::triton_shared {

/// True in a thread that asks for copies: the first one of the program's warps,
/// and of the warp that copies for them, which comes after these. `op` is part
/// of the kernel.
Value createIsAsking(OpBuilder &builder, Operation *op);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_CTATOGPU_BOXES_H
