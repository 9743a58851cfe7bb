//===- WarpShuffle.cpp - A conversion that stays within warps -------------===//

#include "triton-shared/Layout/WarpShuffle.h"

#include "PlaceFinder.h"

using namespace mlir::cta;
using llvm::SmallVector;

std::optional<WarpShuffle> mlir::cta::findWarpShuffle(const LinearLayout &from,
                                                      const LinearLayout &to) {
  if (from.getRank() != to.getRank() || from.getWarps() != to.getWarps())
    return std::nullopt;
  PlaceFinder finder(from);
  LinearLayout::Bases lanes, registers;
  for (const Coordinates &basis : to.getLanes()) {
    std::optional<Place> place = finder.find(basis);
    if (!place || *place > kLaneMask)
      return std::nullopt;
    lanes.push_back({static_cast<int32_t>(*place)});
  }
  SmallVector<unsigned> sources;
  for (const Coordinates &basis : to.getRegisters()) {
    std::optional<Place> place = finder.find(basis);
    if (!place)
      return std::nullopt;
    registers.push_back({static_cast<int32_t>(*place & kLaneMask)});
    sources.push_back(*place >> kLaneBits);
  }
  WarpShuffle shuffle;
  for (unsigned reg = 0; reg < to.getNumRegisters(); ++reg) {
    unsigned source = 0;
    for (auto [bit, ofBit] : llvm::enumerate(sources))
      if (reg >> bit & 1)
        source ^= ofBit;
    shuffle.registers.push_back(source);
  }
  LinearLayout::Bases noWarps(to.getWarps().size(), Coordinates{0});
  shuffle.lanes = LinearLayout(1, registers, lanes, noWarps);
  return shuffle;
}
