//===- UnitBits.h - The bits of all coordinates of a tile -------*- C++ -*-===//

#ifndef TRITON_SHARED_UNITTESTS_LAYOUT_UNITBITS_H
#define TRITON_SHARED_UNITTESTS_LAYOUT_UNITBITS_H

#include "triton-shared/Layout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"

namespace mlir::cta {

/// One basis for each bit of each coordinate of a tile of `shape`.
inline LinearLayout::Bases getUnitBits(llvm::ArrayRef<int64_t> shape) {
  LinearLayout::Bases bits;
  for (auto [dim, size] : llvm::enumerate(shape))
    for (int64_t step = 1; step < size; step *= 2) {
      Coordinates basis(shape.size(), 0);
      basis[dim] = static_cast<int32_t>(step);
      bits.push_back(basis);
    }
  return bits;
}

} // namespace mlir::cta

#endif // TRITON_SHARED_UNITTESTS_LAYOUT_UNITBITS_H
