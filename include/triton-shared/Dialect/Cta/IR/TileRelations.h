//===- TileRelations.h - What operations do with tiles ----------*- C++ -*-===//
//
// What the operations of `cta` answer through their interface, as data: how the
// layouts of two tiles belong together, and which buffers are touched.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_CTA_IR_TILERELATIONS_H
#define TRITON_SHARED_DIALECT_CTA_IR_TILERELATIONS_H

#include "mlir/IR/ValueRange.h"
#include "triton-shared/Layout/LinearLayout.h"

#include <functional>

namespace mlir::cta {

/// The layout of one tile as a function of that of another.
using LayoutFunction = std::function<LinearLayout(const LinearLayout &)>;

/// Where a tile has a layout, `related` should have `follow(layout)`.
struct LayoutRelation {
  Value related;
  LayoutFunction follow;
};

/// Adds that all tiles of `values` should have the layout that `value` has.
void relateEqual(SmallVectorImpl<LayoutRelation> &relations, ValueRange values,
                 Value value);

/// What an operation does with a buffer.
struct BufferUse {
  Value buffer;
  bool isWrite;
  /// It goes on after the operation, until the `cta.wait` that waits for it.
  bool goesOn = false;
};

} // namespace mlir::cta

#endif // TRITON_SHARED_DIALECT_CTA_IR_TILERELATIONS_H
