//===- DotWarps.h - How warps share a matrix product ------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_DOTWARPS_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_DOTWARPS_H

#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// The layout that the accumulator and the result of `dot` should have on
/// `numWarps` warps.
cta::LinearLayout chooseDotLayout(cta::DotOp dot, unsigned numWarps);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_DOTWARPS_H
