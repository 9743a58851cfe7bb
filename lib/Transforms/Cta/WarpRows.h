//===- WarpRows.h - Which rows of a block warps take ------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TRANSFORMS_CTA_WARPROWS_H
#define TRITON_SHARED_LIB_TRANSFORMS_CTA_WARPROWS_H

#include "triton-shared/Layout/LinearLayout.h"

namespace mlir::triton_shared {

/// What belongs to a row, as a weight, an address or a sum, each thread keeps
/// that has a part of it. `layout` with warps that have rows of their own, as
/// long as a thread would have `manyRows` or more, instead of parts of all of
/// them along the dimension `fastest`.
cta::LinearLayout giveRowsToWarps(const cta::LinearLayout &layout,
                                  unsigned fastest, unsigned manyRows);

/// `layout` with warps that take parts of dimension `axis` that follow one
/// another: a scan along it then stays within a warp but for one total of each.
cta::LinearLayout giveScansToWarps(const cta::LinearLayout &layout,
                                   unsigned axis);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TRANSFORMS_CTA_WARPROWS_H
