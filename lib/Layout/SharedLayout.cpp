//===- SharedLayout.cpp - Where elements lie in shared memory -------------===//

#include "triton-shared/Layout/SharedLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <numeric>

using namespace mlir::cta;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// One row of a system of linear equations over GF(2): the offset bits `offset`
/// together stand for the coordinate bits `coordinates`.
struct Equation {
  uint64_t coordinates;
  uint64_t offset;
};

} // namespace

/// The number of bits that each coordinate has.
static SmallVector<unsigned> countBits(unsigned rank,
                                       const SharedLayout::Bases &offsets) {
  SmallVector<unsigned> bits(rank, 0);
  for (const Coordinates &basis : offsets)
    for (auto [count, value] : llvm::zip_equal(bits, basis))
      count = std::max(count, static_cast<unsigned>(llvm::bit_width(
                                  static_cast<uint32_t>(value))));
  return bits;
}

/// Solves for the offset of each single coordinate bit, in their order.
static void solve(llvm::SmallVectorImpl<Equation> &equations) {
  for (size_t bit = 0; bit < equations.size(); ++bit) {
    uint64_t mask = uint64_t(1) << bit;
    auto *pivot = llvm::find_if(
        llvm::drop_begin(equations, bit),
        [&](const Equation &equation) { return equation.coordinates & mask; });
    assert(pivot != equations.end() && "each element has one offset");
    std::swap(equations[bit], *pivot);
    for (auto [other, equation] : llvm::enumerate(equations))
      if (other != bit && equation.coordinates & mask) {
        equation.coordinates ^= equations[bit].coordinates;
        equation.offset ^= equations[bit].offset;
      }
  }
}

SharedLayout::SharedLayout(unsigned rank, Bases bases)
    : rank(rank), offsets(std::move(bases)) {
  SmallVector<unsigned> bits = countBits(rank, offsets);
  SmallVector<Equation> equations;
  for (auto [k, basis] : llvm::enumerate(offsets)) {
    uint64_t flat = 0;
    unsigned shift = 0;
    for (auto [value, count] : llvm::zip_equal(basis, bits)) {
      flat |= static_cast<uint64_t>(value) << shift;
      shift += count;
    }
    equations.push_back({flat, uint64_t(1) << k});
  }
  solve(equations);
  Equation *next = equations.begin();
  for (unsigned count : bits) {
    ofCoordinates.emplace_back();
    for (unsigned bit = 0; bit < count; ++bit)
      ofCoordinates.back().push_back((next++)->offset);
  }
}

SharedLayout SharedLayout::get(ArrayRef<int64_t> shape,
                               ArrayRef<unsigned> order,
                               const Swizzle &swizzle) {
  unsigned rank = shape.size();
  assert((swizzle.steps == 1 ||
          swizzle.piece * swizzle.steps <= shape[order[0]]) &&
         "pieces stay in their row");
  Bases bases;
  for (unsigned dim : order)
    for (int64_t step = 1; step < shape[dim]; step *= 2) {
      Coordinates basis = getStep(rank, dim, step);
      if (rank > 1 && dim == order[1]) {
        // The rows of one step follow one another; the next ones move pieces.
        int64_t moved = step / swizzle.rowsPerStep;
        if (moved < swizzle.steps)
          basis[order[0]] = moved * swizzle.piece;
      }
      bases.push_back(basis);
    }
  return SharedLayout(rank, bases);
}

SharedLayout SharedLayout::transpose(ArrayRef<int64_t> permutation) const {
  Bases moved;
  for (const Coordinates &basis : offsets)
    moved.push_back(llvm::map_to_vector<4>(
        permutation, [&](int64_t dim) { return basis[dim]; }));
  return SharedLayout(rank, moved);
}

SharedLayout SharedLayout::getRowMajor(ArrayRef<int64_t> shape) {
  SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return get(shape, order);
}

bool SharedLayout::covers(ArrayRef<int64_t> shape) const {
  if (shape.size() != rank)
    return false;
  SmallVector<unsigned> bits = countBits(rank, offsets);
  unsigned sum = std::accumulate(bits.begin(), bits.end(), 0u);
  return sum == offsets.size() &&
         llvm::all_of(llvm::zip_equal(shape, bits), [](auto pair) {
           auto [size, count] = pair;
           return size == int64_t(1) << count;
         });
}

int32_t SharedLayout::getOffset(const Coordinates &coordinates) const {
  int32_t offset = 0;
  for (auto [value, ofBits] : llvm::zip_equal(coordinates, ofCoordinates))
    for (auto [bit, ofBit] : llvm::enumerate(ofBits))
      if (value >> bit & 1)
        offset ^= ofBit;
  return offset;
}

LinearLayout SharedLayout::place(const LinearLayout &held) const {
  auto map = [&](const Bases &bases) {
    return llvm::map_to_vector<0>(bases, [&](const Coordinates &basis) {
      return Coordinates{getOffset(basis)};
    });
  };
  return LinearLayout(1, map(held.getRegisters()), map(held.getLanes()),
                      map(held.getWarps()));
}
