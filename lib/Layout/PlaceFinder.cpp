//===- PlaceFinder.cpp - Where a warp holds an element --------------------===//

#include "PlaceFinder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::cta;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The first bit that is set, over all dimensions.
static std::optional<unsigned> findLeading(const Coordinates &coordinates) {
  for (auto [dim, value] : llvm::enumerate(coordinates))
    if (value)
      return 32 * dim + llvm::Log2_32(value);
  return std::nullopt;
}

static bool hasBit(const Coordinates &coordinates, unsigned bit) {
  return coordinates[bit / 32] >> (bit % 32) & 1;
}

PlaceFinder::PlaceFinder(const LinearLayout &layout) : rank(layout.getRank()) {
  Place place = 1;
  // Lanes first: a place in the same register is found where there is one.
  for (const auto *bases : {&layout.getLanes(), &layout.getRegisters()})
    for (const Coordinates &basis : *bases) {
      Coordinates left = basis;
      Place sum = place ^ reduce(left);
      if (std::optional<unsigned> leading = findLeading(left))
        pivots.push_back({*leading, left, sum});
      place <<= 1;
    }
}

/// Takes away what the pivots make up; gives their places.
Place PlaceFinder::reduce(Coordinates &coordinates) const {
  Place place = 0;
  for (const Pivot &pivot : pivots)
    if (hasBit(coordinates, pivot.leading)) {
      for (unsigned dim = 0; dim < rank; ++dim)
        coordinates[dim] ^= pivot.coordinates[dim];
      place ^= pivot.place;
    }
  return place;
}

std::optional<Place> PlaceFinder::find(Coordinates coordinates) const {
  Place place = reduce(coordinates);
  return findLeading(coordinates) ? std::nullopt : std::optional(place);
}

std::optional<SmallVector<Place>>
PlaceFinder::findAll(const LinearLayout::Bases &bases) const {
  SmallVector<Place> places;
  for (const Coordinates &basis : bases) {
    std::optional<Place> place = find(basis);
    if (!place)
      return std::nullopt;
    places.push_back(*place);
  }
  return places;
}

SmallVector<unsigned> mlir::cta::listRegisters(ArrayRef<Place> ofRegisters) {
  SmallVector<unsigned> registers;
  for (unsigned reg = 0; reg < 1u << ofRegisters.size(); ++reg) {
    Place there = 0;
    for (auto [bit, place] : llvm::enumerate(ofRegisters))
      if (reg >> bit & 1)
        there ^= place;
    registers.push_back(getRegister(there));
  }
  return registers;
}

LinearLayout mlir::cta::layOutLanes(ArrayRef<Place> ofRegisters,
                                    ArrayRef<Place> ofLanes,
                                    unsigned numWarpBits) {
  auto toBases = [](ArrayRef<Place> places) {
    LinearLayout::Bases bases;
    for (Place place : places)
      bases.push_back({static_cast<int32_t>(getLane(place))});
    return bases;
  };
  LinearLayout::Bases noWarps(numWarpBits, Coordinates{0});
  return LinearLayout(1, toBases(ofRegisters), toBases(ofLanes), noWarps);
}
