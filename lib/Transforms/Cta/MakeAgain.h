//===- MakeAgain.h - A tile in another layout -------------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_MAKEAGAIN_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_MAKEAGAIN_H

#include "mlir/IR/Builders.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// `value` in `layout`: made again where that is cheap, else converted. New
/// operations stand right behind `value`, so that loops do not repeat them.
Value getWithLayout(OpBuilder &builder, Value value,
                    const cta::LinearLayout &layout);

/// True if `value` is made by few operations of nothing but numbers and
/// indices: users need not agree on its layout.
bool isMadeOfIndices(Value value);

/// True if a loop around `op` has products of its own, whose operands take
/// shared memory meanwhile.
bool isAmongProducts(Operation *op);

/// True for a load that costs next to nothing in any layout: of fewer elements
/// than threads, so that most come from the cache of the multiprocessor, and
/// not ahead of products of a loop, which it would be copied for.
bool isSmallLoad(Operation *op);

/// The constant `value` with another type of the same shape and elements.
Attribute retype(Attribute value, ShapedType type);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_MAKEAGAIN_H
