//===- WarpShuffle.cpp - A conversion that stays within warps -------------===//

#include "triton-shared/Layout/WarpShuffle.h"

#include "PlaceFinder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::cta;
using llvm::SmallVector;

std::optional<WarpShuffle> mlir::cta::findWarpShuffle(const LinearLayout &from,
                                                      const LinearLayout &to) {
  if (from.getRank() != to.getRank() || from.getWarps() != to.getWarps())
    return std::nullopt;
  PlaceFinder finder(from);
  std::optional<SmallVector<Place>> lanes = finder.findAll(to.getLanes());
  std::optional<SmallVector<Place>> registers =
      finder.findAll(to.getRegisters());
  if (!lanes || !registers || llvm::any_of(*lanes, getRegister))
    return std::nullopt;
  return WarpShuffle{listRegisters(*registers),
                     layOutLanes(*registers, *lanes, to.getWarps().size())};
}
