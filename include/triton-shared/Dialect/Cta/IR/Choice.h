//===- Choice.h - Regions that take one of two tuples -----------*- C++ -*-===//
//
// The region of `tl.argmax` compares its two sides and hands one of them on.
// Of such a region more can be said than of any other: whether the order of its
// sides matters, and that of what it compares only the order counts.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_CTA_IR_CHOICE_H
#define TRITON_SHARED_DIALECT_CTA_IR_CHOICE_H

#include "mlir/IR/Region.h"

namespace mlir::cta {

/// True if each result of `combine` is an element of its left side or the same
/// one of its right side, and all it does with elements is to compare the same
/// ones of both sides.
bool isChoice(Region &combine);

/// True for a choice that takes the same elements if its sides change places.
/// What it takes where an element is a NaN counts only if it looks for NaNs: if
/// it does not, no order of elements has a meaning there.
bool isSymmetricChoice(Region &combine);

} // namespace mlir::cta

#endif // TRITON_SHARED_DIALECT_CTA_IR_CHOICE_H
