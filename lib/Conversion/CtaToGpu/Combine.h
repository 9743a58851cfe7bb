//===- Combine.h - What reductions and scans have in common -----*- C++ -*-===//
//
// Both take elements of other threads and combine them with their own by the
// region of the operation.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_CTATOGPU_COMBINE_H
#define TRITON_SHARED_LIB_CONVERSION_CTATOGPU_COMBINE_H

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// What `region` makes of two lists of single elements. Values of the region
/// that are `known` are not computed.
SmallVector<Value> createCombined(OpBuilder &builder, Region &region,
                                  ValueRange left, ValueRange right,
                                  const IRMapping &known = IRMapping());

/// `value` of another lane of the warp: the one whose number is `lane` (kind
/// `idx`), or differs from this one's in the bits `lane` (kind `bfly`). `value`
/// has any type; `lane` is i32.
Value createShuffle(OpBuilder &builder, Location loc, Value value,
                    NVVM::ShflKind kind, Value lane);

/// Per operand of a reduction or scan, the registers of a thread.
using Registers = SmallVector<SmallVector<Value>>;

/// Gives what threads hold of `tiles` under `held` to those that want it under
/// `wanted`, through the part of shared memory that `op` has.
Registers exchangeTiles(OpBuilder &builder, Operation *op,
                        ArrayRef<RankedTensorType> tiles,
                        const Registers &values, const cta::LinearLayout &held,
                        const cta::LinearLayout &wanted);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_CTATOGPU_COMBINE_H
