//===- IndexValues.h - Forms of indices as operations -----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_INDEXVALUES_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_INDEXVALUES_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

namespace mlir::triton_shared {

/// Computes `expr` as an i64. `values` has an integer for each symbol; what is
/// divided is not negative, and what it is divided by is positive.
Value createIndexValue(OpBuilder &builder, Location loc, AffineExpr expr,
                       const DenseMap<AffineExpr, Value> &values);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_INDEXVALUES_H
