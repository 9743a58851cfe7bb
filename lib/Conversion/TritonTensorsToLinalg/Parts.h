//===- Parts.h - Parts of tensors along a dimension -------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PARTS_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PARTS_H

#include "mlir/IR/Builders.h"

namespace mlir::triton_shared {

/// The `size` places of `tensor` from `begin` on, along `dim`.
Value extractPart(OpBuilder &builder, Location loc, Value tensor, int64_t dim,
                  int64_t begin, int64_t size);

/// The one `place` of `tensor` along `dim`, without that dimension.
Value extractPlace(OpBuilder &builder, Location loc, Value tensor, int64_t dim,
                   int64_t place);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PARTS_H
