//===- DotLayout.h - Where a matrix product leaves its result ---*- C++ -*-===//

#ifndef TRITON_SHARED_DIALECT_CTA_IR_DOTLAYOUT_H
#define TRITON_SHARED_DIALECT_CTA_IR_DOTLAYOUT_H

#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::cta {

/// The layout of the accumulator and result of `dot` on `numWarps` warps.
LinearLayout getDotLayout(DotOp dot, unsigned numWarps);

} // namespace mlir::cta

#endif // TRITON_SHARED_DIALECT_CTA_IR_DOTLAYOUT_H
