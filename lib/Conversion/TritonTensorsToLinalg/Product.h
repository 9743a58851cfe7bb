//===- Product.h - Matrix products on tensors -------------------*- C++ -*-===//
//
// What `tt.dot` and `tt.dot_scaled` share: a product that adds to an
// accumulator and is rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PRODUCT_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PRODUCT_H

#include "mlir/IR/Builders.h"

namespace mlir::triton_shared {

/// `a * b + accumulator` as `linalg.matmul`, or `linalg.batch_matmul` for
/// tensors of rank 3, with `attributes` on it. Elements of `a` and `b` are
/// extended to the accumulator's type before they are multiplied, integers as
/// signed ones. An accumulator of floats below 32 bits is extended to f32 for
/// the whole sum and the result rounded once, which is never less exact than
/// hardware that accumulates in that type.
Value createProduct(OpBuilder &builder, Location loc, Value a, Value b,
                    Value accumulator,
                    ArrayRef<NamedAttribute> attributes = {});

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PRODUCT_H
