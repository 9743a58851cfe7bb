//===- WarpRows.cpp - Which rows of a block warps take --------------------===//
//
// Bits of the warps' numbers change places with those of registers. Lanes, and
// so what one access of a warp touches, stay as they are.
//
//===----------------------------------------------------------------------===//

#include "WarpRows.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

LinearLayout triton_shared::giveRowsToWarps(const LinearLayout &layout,
                                            unsigned fastest,
                                            unsigned manyRows) {
  LinearLayout::Bases registers = layout.getRegisters(),
                      warps = layout.getWarps();
  auto isOfRow = [&](const cta::Coordinates &basis) {
    return basis[fastest] == 0;
  };
  for (cta::Coordinates &warp : llvm::reverse(warps)) {
    if (warp[fastest] == 0 ||
        (1u << llvm::count_if(registers, isOfRow)) < manyRows)
      break;
    std::swap(warp, *llvm::find_if(llvm::reverse(registers), isOfRow));
  }
  return LinearLayout(layout.getRank(), registers, layout.getLanes(), warps);
}

LinearLayout triton_shared::giveScansToWarps(const LinearLayout &layout,
                                             unsigned axis) {
  LinearLayout::Bases registers = layout.getRegisters(),
                      warps = layout.getWarps();
  // From the last bit of a warp's number on, each takes the largest step that
  // is left.
  for (cta::Coordinates &warp : llvm::reverse(warps)) {
    if (warp[axis] == 0)
      continue;
    auto largest = llvm::max_element(
        registers, [&](const cta::Coordinates &a, const cta::Coordinates &b) {
          return a[axis] < b[axis];
        });
    if (largest != registers.end() && (*largest)[axis] > warp[axis])
      std::swap(warp, *largest);
  }
  return LinearLayout(layout.getRank(), registers, layout.getLanes(), warps);
}
