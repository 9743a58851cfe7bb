//===- CpuFloats.h - Floats that the CPU computes with ----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOCPU_CPUFLOATS_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOCPU_CPUFLOATS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::triton_shared {

/// True for scalars and vectors of f32 and f64; others are emulated.
inline bool isComputedByCpu(Type type) {
  return isa<Float32Type, Float64Type>(getElementTypeOrSelf(type));
}

/// `Source` becomes `Target` where the CPU computes it.
template <typename Source, typename Target>
struct ReplaceComputed : OpRewritePattern<Source> {
  using OpRewritePattern<Source>::OpRewritePattern;

  LogicalResult matchAndRewrite(Source op,
                                PatternRewriter &rewriter) const override {
    if (!isComputedByCpu(op.getType()))
      return rewriter.notifyMatchFailure(op, "not f32 or f64");
    rewriter.replaceOpWithNewOp<Target>(op, op.getType(), op->getOperands());
    return success();
  }
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOCPU_CPUFLOATS_H
