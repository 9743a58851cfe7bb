//===- LayoutRules.h - Which tiles share a layout ---------------*- C++ -*-===//
//
// An operation relates the layouts of the tiles it touches: element-wise
// operations want one for all, shape operations a function of it. A rule is
// such a relation; the pass lets layouts spread along them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_LAYOUTRULES_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_LAYOUTRULES_H

#include "mlir/IR/Operation.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// All relations from `value` to the other tiles of `op`: an operation that has
/// it as operand or result, or whose regions carry it.
SmallVector<cta::LayoutRelation> getLayoutRelations(Operation *op, Value value);

/// The other values that are the same variable of a loop or branch as `value`,
/// inside of it or as its result: all of them have one layout.
SmallVector<Value> getOtherNames(Value value);

/// The layout that `op` needs its tile operand to have, given the layouts that
/// its other tiles have now; nothing if it takes the operand as it is.
std::optional<cta::LinearLayout> getNeededLayout(OpOperand &operand);

/// True for operations of other dialects on tiles, which all share one layout.
bool isElementwiseOnTiles(Operation *op);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_LAYOUTRULES_H
