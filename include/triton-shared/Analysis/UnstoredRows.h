//===- UnstoredRows.h - Rows of a tile that no store writes -----*- C++ -*-===//
//
// A kernel that takes rows modulo their number computes some twice, and cuts
// them off where it stores: any others would do.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_UNSTOREDROWS_H
#define TRITON_SHARED_ANALYSIS_UNSTOREDROWS_H

#include "mlir/IR/Value.h"

namespace mlir::triton_shared {

/// True if what `tile` holds beyond an end along `dimension` is of no
/// consequence: it meets nothing but what belongs to the same row, through
/// products, operations on elements and loops, and every store ends there.
/// `isEnd` says whether an upper bound of a store is that end.
bool isUnstoredBeyondEnd(Value tile, unsigned dimension,
                         function_ref<bool(Value)> isEnd);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_UNSTOREDROWS_H
