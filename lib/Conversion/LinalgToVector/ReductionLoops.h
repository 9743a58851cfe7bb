//===- ReductionLoops.h - What reductions by vectors share ------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_REDUCTIONLOOPS_H
#define TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_REDUCTIONLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::triton_shared {

/// Vectors, or tuples of them, that collect partial results of a row at the
/// same time: enough to hide how long an addition takes.
inline constexpr int64_t kCollectors = 4;

/// Which loop of an operation is reduced, and which one lanes go along.
struct ReductionLoops {
  SmallVector<int64_t> sizes;
  unsigned reduced, vectorLoop;
  int64_t lanes = 0;

  /// Of an operation that reduces along one loop.
  explicit ReductionLoops(linalg::GenericOp op);

  bool isAlongLanes() const { return reduced == vectorLoop; }

  /// True if sizes are known, and vectors can be loaded and stored.
  bool canUseLanes(linalg::GenericOp op) const;

  /// Builds loops over rows, or over as many columns as there are lanes, around
  /// what `body` builds.
  void buildOuter(OpBuilder &builder, Location loc,
                  function_ref<void(OpBuilder &, ArrayRef<Value>)> body) const;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_LINALGTOVECTOR_REDUCTIONLOOPS_H
