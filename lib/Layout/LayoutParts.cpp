//===- LayoutParts.cpp - The layout of a part of a tile -------------------===//

#include "triton-shared/Layout/LayoutParts.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir::cta;
using llvm::ArrayRef;
using llvm::SmallVector;

/// True if elements that differ in `basis` lie in different parts.
static bool tellsApart(const Coordinates &basis, ArrayRef<int64_t> part) {
  return llvm::any_of(llvm::zip_equal(basis, part), [](auto pair) {
    auto [value, size] = pair;
    return value >= size;
  });
}

SmallVector<ThreadBit> mlir::cta::findThreadBits(const LinearLayout &layout,
                                                 ArrayRef<int64_t> part) {
  SmallVector<ThreadBit> found;
  for (bool isOfWarp : {false, true})
    for (auto [number, basis] :
         llvm::enumerate(isOfWarp ? layout.getWarps() : layout.getLanes()))
      if (tellsApart(basis, part))
        found.push_back({isOfWarp, static_cast<unsigned>(number)});
  return found;
}

bool mlir::cta::arePartsInRegisters(const LinearLayout &layout,
                                    ArrayRef<int64_t> part) {
  return findThreadBits(layout, part).empty() &&
         llvm::all_of(layout.getRegisters(), [&](const Coordinates &basis) {
           return !tellsApart(basis, part) || findOnlyBit(basis);
         });
}

LinearLayout mlir::cta::swapBits(const LinearLayout &layout, ThreadBit bit,
                                 unsigned reg) {
  LinearLayout::Bases registers = layout.getRegisters();
  LinearLayout::Bases lanes = layout.getLanes(), warps = layout.getWarps();
  if (reg == registers.size())
    registers.push_back(Coordinates(layout.getRank(), 0));
  std::swap(registers[reg], (bit.isOfWarp ? warps : lanes)[bit.number]);
  return LinearLayout(layout.getRank(), registers, lanes, warps);
}

LinearLayout mlir::cta::bringPartsIntoRegisters(const LinearLayout &layout,
                                                ArrayRef<int64_t> whole,
                                                ArrayRef<int64_t> part) {
  if (arePartsInRegisters(layout, part))
    return layout;
  LinearLayout changed = layout;
  for (ThreadBit bit : findThreadBits(layout, part)) {
    const LinearLayout::Bases &registers = changed.getRegisters();
    // The last registers are the furthest from being neighbours.
    unsigned reg = registers.size();
    while (reg > 0 && tellsApart(registers[reg - 1], part))
      --reg;
    changed = swapBits(changed, bit, reg > 0 ? reg - 1 : registers.size());
  }
  if (arePartsInRegisters(changed, part))
    return changed;
  SmallVector<unsigned> order(whole.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return getWholeLayout(LinearLayout::getBlocked(part, order, /*perThread=*/1,
                                                 layout.getNumWarps()),
                        whole, part);
}

LinearLayout mlir::cta::getPartLayout(const LinearLayout &layout,
                                      ArrayRef<int64_t> part) {
  LinearLayout::Bases registers = layout.getRegisters();
  llvm::erase_if(registers, [&](const Coordinates &basis) {
    return tellsApart(basis, part);
  });
  return LinearLayout(layout.getRank(), registers, layout.getLanes(),
                      layout.getWarps());
}

LinearLayout mlir::cta::getWholeLayout(const LinearLayout &layout,
                                       ArrayRef<int64_t> whole,
                                       ArrayRef<int64_t> part) {
  LinearLayout::Bases registers = layout.getRegisters();
  for (unsigned dim = layout.getRank(); dim-- > 0;)
    for (int64_t step = part[dim]; step < whole[dim]; step *= 2)
      registers.push_back(getStep(layout.getRank(), dim, step));
  return LinearLayout(layout.getRank(), registers, layout.getLanes(),
                      layout.getWarps());
}

LinearLayout mlir::cta::putNeighboursFirst(const LinearLayout &layout,
                                           unsigned dim) {
  LinearLayout::Bases first, rest = layout.getRegisters();
  Coordinates next(layout.getRank(), 0);
  for (next[dim] = 1;; next[dim] *= 2) {
    auto found = llvm::find(rest, next);
    if (found == rest.end())
      break;
    first.push_back(next);
    rest.erase(found);
  }
  llvm::append_range(first, rest);
  return LinearLayout(layout.getRank(), first, layout.getLanes(),
                      layout.getWarps());
}
