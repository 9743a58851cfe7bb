//===- RuntimeChecks.h - Calls of runtime/check -----------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_RUNTIMECHECKS_H
#define TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_RUNTIMECHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::triton_shared {

/// Calls a function of runtime/check. But for `tritonSharedCheckFinish`, they
/// read memory of tensors and write none: what is read in place stays there.
func::CallOp callCheck(OpBuilder &builder, Operation *user, StringRef name,
                       ValueRange operands, TypeRange results = {},
                       bool writes = false);

/// The place of `indices` in a block, row-major: an i64.
Value numberOf(OpBuilder &builder, Location loc, ValueRange indices,
               ArrayRef<int64_t> shape);

/// Has the runtime know of the elements of `op` that have a cause, in the place
/// of `op`. `views` is the table of the launch, `program` its three ids.
void lowerNote(OpBuilder &builder, tts::NoteOp op, Value views,
               ValueRange program);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_RUNTIMECHECKS_H
