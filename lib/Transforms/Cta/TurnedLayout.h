//===- TurnedLayout.h - How threads turn an operand -------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_TURNEDLAYOUT_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_TURNEDLAYOUT_H

#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// The layout in which threads should hold `operand`, which a product reads
/// from shared memory along K and which lies there across it at first: what is
/// read in pieces that way is written in pieces the other way. Nothing if the
/// tile is too small for that.
std::optional<cta::LinearLayout> chooseTurnedLayout(OpOperand &operand,
                                                    unsigned numWarps);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_TURNEDLAYOUT_H
