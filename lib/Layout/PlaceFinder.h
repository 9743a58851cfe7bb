//===- PlaceFinder.h - Where a warp holds an element ------------*- C++ -*-===//
//
// A conversion within warps is known by the places, under the layout that it
// begins with, of what each bit of a register's and a lane's number stands for
// under the other layout.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_LAYOUT_PLACEFINDER_H
#define TRITON_SHARED_LIB_LAYOUT_PLACEFINDER_H

#include "triton-shared/Layout/LinearLayout.h"

namespace mlir::cta {

/// A place in a warp, as bits: those of the lane, then those of the register.
using Place = uint64_t;

constexpr Place kLaneMask = triton_shared::GpuTarget::kWarpSize - 1;

inline unsigned getLane(Place place) { return place & kLaneMask; }
inline unsigned getRegister(Place place) { return place >> kLaneBits; }

/// Finds the places of coordinates in one warp, by elimination over GF(2).
class PlaceFinder {
public:
  explicit PlaceFinder(const LinearLayout &layout);

  /// The place of each basis; nothing if one of them lies in no register and
  /// lane of the warp.
  std::optional<llvm::SmallVector<Place>>
  findAll(const LinearLayout::Bases &bases) const;

private:
  struct Pivot {
    unsigned leading;
    Coordinates coordinates;
    Place place;
  };

  std::optional<Place> find(Coordinates coordinates) const;
  Place reduce(Coordinates &coordinates) const;

  unsigned rank;
  llvm::SmallVector<Pivot> pivots;
};

/// By register, given the places of its number's bits: the register there.
llvm::SmallVector<unsigned> listRegisters(llvm::ArrayRef<Place> ofRegisters);

/// By register and lane, given the places of their numbers' bits: the lane
/// there, as a layout of one dimension.
LinearLayout layOutLanes(llvm::ArrayRef<Place> ofRegisters,
                         llvm::ArrayRef<Place> ofLanes, unsigned numWarpBits);

} // namespace mlir::cta

#endif // TRITON_SHARED_LIB_LAYOUT_PLACEFINDER_H
