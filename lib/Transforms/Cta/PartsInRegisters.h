//===- PartsInRegisters.h - Layouts in which parts need not move -*- C++
//-*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_PARTSINREGISTERS_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_PARTSINREGISTERS_H

#include "mlir/IR/Value.h"
#include "triton-shared/Layout/LinearLayout.h"

namespace mlir::triton_shared {

/// `layout`, or one like it that `isGood`, in which threads hold the same
/// elements of the parts that are taken of `tile`, or of what is made of it.
cta::LinearLayout keepPartsInRegisters(
    Value tile, const cta::LinearLayout &layout,
    llvm::function_ref<bool(const cta::LinearLayout &)> isGood);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_PARTSINREGISTERS_H
