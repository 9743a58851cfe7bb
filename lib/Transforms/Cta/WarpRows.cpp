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
  // Small steps to registers, large ones to warps.
  SmallVector<cta::Coordinates *> alongAxis;
  for (LinearLayout::Bases *bases : {&registers, &warps})
    for (cta::Coordinates &basis : *bases)
      if (basis[axis])
        alongAxis.push_back(&basis);
  LinearLayout::Bases steps;
  for (const cta::Coordinates *basis : alongAxis)
    steps.push_back(*basis);
  llvm::sort(steps, [&](const cta::Coordinates &a, const cta::Coordinates &b) {
    return a[axis] < b[axis];
  });
  for (auto [basis, step] : llvm::zip_equal(alongAxis, steps))
    *basis = step;
  return LinearLayout(layout.getRank(), registers, layout.getLanes(), warps);
}
