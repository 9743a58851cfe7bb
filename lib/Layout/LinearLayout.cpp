//===- LinearLayout.cpp - Where the elements of a tile live ---------------===//

#include "triton-shared/Layout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace mlir::cta;
using llvm::ArrayRef;
using llvm::SmallVector;

static bool isZero(const Coordinates &basis) {
  return llvm::all_of(basis, [](int32_t value) { return value == 0; });
}

Coordinates mlir::cta::getStep(unsigned rank, unsigned dim, int32_t step) {
  Coordinates coordinates(rank, 0);
  coordinates[dim] = step;
  return coordinates;
}

std::optional<unsigned> mlir::cta::findOnlyBit(const Coordinates &basis) {
  std::optional<unsigned> found;
  for (auto [dim, value] : llvm::enumerate(basis)) {
    if (!value)
      continue;
    if (found || !llvm::isPowerOf2_32(static_cast<uint32_t>(value)))
      return std::nullopt;
    found = dim;
  }
  return found;
}

static void addTo(Coordinates &sum, const Coordinates &basis) {
  for (auto [value, bits] : llvm::zip_equal(sum, basis))
    value ^= bits;
}

static void addBits(Coordinates &sum, const LinearLayout::Bases &bases,
                    unsigned index) {
  for (auto [bit, basis] : llvm::enumerate(bases))
    if (index >> bit & 1)
      addTo(sum, basis);
}

LinearLayout::LinearLayout(unsigned rank, Bases registers, Bases lanes,
                           Bases warps)
    : rank(rank), registers(std::move(registers)), lanes(std::move(lanes)),
      warps(std::move(warps)) {
  assert(this->lanes.size() == kLaneBits && "a warp has 32 lanes");
}

LinearLayout LinearLayout::getBlocked(ArrayRef<int64_t> shape,
                                      ArrayRef<unsigned> order,
                                      unsigned perThread, unsigned numWarps) {
  unsigned rank = shape.size();
  // The bits of the tile, the fastest first.
  Bases bits;
  for (unsigned dim : order)
    for (int64_t step = 1; step < shape[dim]; step *= 2)
      bits.push_back(getStep(rank, dim, step));
  size_t next = 0;
  auto take = [&](size_t count, bool pad) {
    Bases taken;
    for (size_t i = 0; i < count; ++i)
      if (next < bits.size())
        taken.push_back(bits[next++]);
      else if (pad)
        taken.push_back(Coordinates(rank, 0));
    return taken;
  };
  // No more in one thread than the fastest dimension has, and no fewer busy
  // threads because of it.
  size_t fastest = rank ? llvm::Log2_64(shape[order[0]]) : 0;
  size_t warpBits = llvm::Log2_32(numWarps);
  size_t threadBits = kLaneBits + warpBits;
  size_t spare = bits.size() > threadBits ? bits.size() - threadBits : 0;
  size_t vector =
      std::min({static_cast<size_t>(llvm::Log2_32(perThread)), fastest, spare});
  Bases registers = take(vector, /*pad=*/false);
  Bases lanes = take(kLaneBits, /*pad=*/true);
  Bases warps = take(warpBits, /*pad=*/true);
  llvm::append_range(registers, take(bits.size() - next, /*pad=*/false));
  return LinearLayout(rank, registers, lanes, warps);
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

Coordinates LinearLayout::apply(unsigned reg, unsigned lane,
                                unsigned warp) const {
  Coordinates sum = applyRegister(reg);
  addBits(sum, lanes, lane);
  addBits(sum, warps, warp);
  return sum;
}

Coordinates LinearLayout::applyRegister(unsigned reg) const {
  Coordinates sum(rank, 0);
  addBits(sum, registers, reg);
  return sum;
}

std::optional<unsigned>
LinearLayout::findRegister(const Coordinates &coordinates) const {
  for (unsigned reg = 0; reg < getNumRegisters(); ++reg)
    if (applyRegister(reg) == coordinates)
      return reg;
  return std::nullopt;
}

/// The number of independent vectors among `rows`.
static unsigned getGf2Rank(SmallVector<uint64_t> rows) {
  unsigned found = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i])
      continue;
    ++found;
    uint64_t top = uint64_t(1) << llvm::Log2_64(rows[i]);
    for (size_t j = i + 1; j < rows.size(); ++j)
      if (rows[j] & top)
        rows[j] ^= rows[i];
  }
  return found;
}

/// The row-major index of `coordinates`; sizes are powers of two.
static uint64_t flatten(const Coordinates &coordinates,
                        ArrayRef<int64_t> shape) {
  uint64_t index = 0;
  for (auto [value, size] : llvm::zip_equal(coordinates, shape))
    index = index << llvm::Log2_64(size) | value;
  return index;
}

static Coordinates unflatten(uint64_t index, ArrayRef<int64_t> shape) {
  Coordinates coordinates(shape.size(), 0);
  for (size_t dim = shape.size(); dim-- > 0;) {
    coordinates[dim] = index & (shape[dim] - 1);
    index >>= llvm::Log2_64(shape[dim]);
  }
  return coordinates;
}

bool LinearLayout::covers(ArrayRef<int64_t> shape) const {
  if (shape.size() != rank)
    return false;
  SmallVector<uint64_t> rows;
  unsigned bits = 0;
  for (int64_t size : shape)
    bits += llvm::Log2_64(size);
  for (const Bases *bases : {&registers, &lanes, &warps})
    for (const Coordinates &basis : *bases) {
      for (auto [value, size] : llvm::zip_equal(basis, shape))
        if (value < 0 || value >= size)
          return false;
      rows.push_back(flatten(basis, shape));
    }
  return getGf2Rank(std::move(rows)) == bits;
}

bool LinearLayout::hasDisjointRegisters() const {
  for (unsigned dim = 0; dim < rank; ++dim) {
    int32_t ofRegisters = 0;
    for (const Coordinates &basis : registers) {
      if (ofRegisters & basis[dim])
        return false;
      ofRegisters |= basis[dim];
    }
    for (const Bases *bases : {&lanes, &warps})
      for (const Coordinates &basis : *bases)
        if (ofRegisters & basis[dim])
          return false;
  }
  return true;
}

unsigned LinearLayout::countNeighbours(unsigned dim) const {
  unsigned count = 1;
  for (const Coordinates &basis : registers) {
    if (basis != getStep(rank, dim, count))
      break;
    count *= 2;
  }
  return count;
}

bool LinearLayout::hasOneThreadPerElement() const {
  return llvm::none_of(lanes, isZero) && llvm::none_of(warps, isZero);
}

unsigned LinearLayout::countWarpNeighbours(unsigned dim) const {
  unsigned count = countNeighbours(dim);
  while (llvm::is_contained(lanes, getStep(rank, dim, count)))
    count *= 2;
  return count;
}

//===----------------------------------------------------------------------===//
// Shape operations
//===----------------------------------------------------------------------===//

template <typename Change>
LinearLayout LinearLayout::mapBases(unsigned newRank, Change change) const {
  auto map = [&](const Bases &bases) {
    return llvm::map_to_vector<0>(bases, change);
  };
  Bases changed = map(registers);
  llvm::erase_if(changed, isZero);
  return LinearLayout(newRank, changed, map(lanes), map(warps));
}

LinearLayout LinearLayout::dropDimension(unsigned dim) const {
  return mapBases(rank - 1, [&](Coordinates basis) {
    basis.erase(basis.begin() + dim);
    return basis;
  });
}

/// Neighbours that one instruction stores, if they have no more than 16 bits.
static constexpr unsigned kMostTogether = 8;

LinearLayout LinearLayout::spreadDimension(unsigned dim) const {
  LinearLayout spread = dropDimension(dim);
  SmallVector<Coordinates *> free;
  for (auto [before, now] : llvm::zip_equal(lanes, spread.lanes))
    if (before[dim] && isZero(now))
      free.push_back(&now);
  unsigned together = 1;
  for (unsigned d = 0; d < spread.rank; ++d)
    together = std::max(together, spread.countNeighbours(d));
  bool takeAll = free.size() >= spread.registers.size();
  unsigned first =
      takeAll ? 0 : llvm::Log2_32(std::min(together, kMostTogether));
  for (Coordinates *lane : free) {
    if (spread.registers.size() == first)
      break;
    *lane = spread.registers[first];
    spread.registers.erase(spread.registers.begin() + first);
  }
  return spread;
}

LinearLayout LinearLayout::transpose(ArrayRef<int64_t> permutation) const {
  return mapBases(rank, [&](const Coordinates &basis) {
    Coordinates moved;
    for (int64_t dim : permutation)
      moved.push_back(basis[dim]);
    return moved;
  });
}

LinearLayout LinearLayout::reshape(ArrayRef<int64_t> from,
                                   ArrayRef<int64_t> to) const {
  return mapBases(to.size(), [&](const Coordinates &basis) {
    return unflatten(flatten(basis, from), to);
  });
}

LinearLayout LinearLayout::collapseDimensions(ArrayRef<unsigned> dims) const {
  return mapBases(rank, [&](Coordinates basis) {
    for (unsigned dim : dims)
      basis[dim] = 0;
    return basis;
  });
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

std::optional<SmallVector<unsigned>>
LinearLayout::findRegisters(const LinearLayout &target) const {
  if (rank != target.rank || lanes != target.lanes || warps != target.warps)
    return std::nullopt;
  SmallVector<unsigned> sources;
  for (unsigned reg = 0; reg < target.getNumRegisters(); ++reg) {
    std::optional<unsigned> found = findRegister(target.applyRegister(reg));
    if (!found)
      return std::nullopt;
    sources.push_back(*found);
  }
  return sources;
}

bool LinearLayout::operator==(const LinearLayout &other) const {
  return rank == other.rank && registers == other.registers &&
         lanes == other.lanes && warps == other.warps;
}
