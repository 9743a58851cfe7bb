//===- PlaceFinder.h - Where a warp holds an element ------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_LAYOUT_PLACEFINDER_H
#define TRITON_SHARED_LIB_LAYOUT_PLACEFINDER_H

#include "triton-shared/Layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::cta {

/// A place in a warp, as bits: those of the lane, then those of the register.
using Place = uint64_t;

constexpr Place kLaneMask = triton_shared::GpuTarget::kWarpSize - 1;

/// Finds the places of coordinates in one warp, by elimination over GF(2).
class PlaceFinder {
public:
  explicit PlaceFinder(const LinearLayout &layout) : rank(layout.getRank()) {
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

  std::optional<Place> find(Coordinates coordinates) const {
    Place place = reduce(coordinates);
    return findLeading(coordinates) ? std::nullopt : std::optional(place);
  }

private:
  struct Pivot {
    unsigned leading;
    Coordinates coordinates;
    Place place;
  };

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

  /// Takes away what the pivots make up; gives their places.
  Place reduce(Coordinates &coordinates) const {
    Place place = 0;
    for (const Pivot &pivot : pivots)
      if (hasBit(coordinates, pivot.leading)) {
        for (unsigned dim = 0; dim < rank; ++dim)
          coordinates[dim] ^= pivot.coordinates[dim];
        place ^= pivot.place;
      }
    return place;
  }

  unsigned rank;
  llvm::SmallVector<Pivot> pivots;
};

} // namespace mlir::cta

#endif // TRITON_SHARED_LIB_LAYOUT_PLACEFINDER_H
