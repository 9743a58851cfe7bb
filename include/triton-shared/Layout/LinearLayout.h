//===- LinearLayout.h - Where the elements of a tile live -------*- C++ -*-===//
//
// A tile of a program is spread over the registers, lanes and warps of one
// CTA. The map from (register, lane, warp) to the coordinates of an element is
// linear over GF(2): the coordinates of an index are the exclusive or of the
// coordinates of its bits. Every shape operation of Triton permutes or drops
// such bits, so it is a small calculation here and often no code at all.
//
// Source: Triton's "Linear Layouts" (https://arxiv.org/abs/2505.23819).
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LAYOUT_LINEARLAYOUT_H
#define TRITON_SHARED_LAYOUT_LINEARLAYOUT_H

#include "triton-shared/Target/GpuTarget.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <cstdint>
#include <optional>

namespace mlir::cta {

/// One coordinate per dimension of a tile; of a basis, the coordinates that one
/// bit of a hardware index stands for.
using Coordinates = llvm::SmallVector<int32_t, 4>;

/// `step` along `dim`, and 0 along all others of `rank` dimensions.
Coordinates getStep(unsigned rank, unsigned dim, int32_t step);

/// The dimension of which `basis` is one bit; nothing if it is none, or
/// several.
std::optional<unsigned> findOnlyBit(const Coordinates &basis);

/// Bits of the number of a lane in its warp.
constexpr unsigned kLaneBits =
    llvm::ConstantLog2<triton_shared::GpuTarget::kWarpSize>();

class LinearLayout {
public:
  using Bases = llvm::SmallVector<Coordinates, 0>;

  LinearLayout() = default;

  /// `registers[k]` are the coordinates of bit `k` of the register index, and
  /// so on. A basis of zeros means that the bit does not matter: threads that
  /// differ in it hold the same elements.
  LinearLayout(unsigned rank, Bases registers, Bases lanes, Bases warps);

  /// Neighbours along `order[0]` lie in one thread (`perThread` of them, a
  /// power of two), then in neighbouring lanes, then in neighbouring warps;
  /// then `order[1]` goes on where it ended. What is left of the tile repeats
  /// in further registers; a tile that is too small is held several times.
  static LinearLayout getBlocked(llvm::ArrayRef<int64_t> shape,
                                 llvm::ArrayRef<unsigned> order,
                                 unsigned perThread, unsigned numWarps);

  unsigned getRank() const { return rank; }
  const Bases &getRegisters() const { return registers; }
  const Bases &getLanes() const { return lanes; }
  const Bases &getWarps() const { return warps; }

  /// Elements that each thread holds.
  unsigned getNumRegisters() const { return 1u << registers.size(); }
  unsigned getNumWarps() const { return 1u << warps.size(); }

  /// The coordinates of an element, by its register, lane and warp.
  Coordinates apply(unsigned reg, unsigned lane, unsigned warp) const;
  /// The part of `apply` that the register alone decides.
  Coordinates applyRegister(unsigned reg) const;

  /// The first register whose `applyRegister` is `coordinates`.
  std::optional<unsigned> findRegister(const Coordinates &coordinates) const;

  /// True if every element of a tile of `shape` has a place, and no place lies
  /// outside of it.
  bool covers(llvm::ArrayRef<int64_t> shape) const;

  /// True if the bits of the register index and those of the thread stand for
  /// different bits of each coordinate, so that adding their coordinates is
  /// the same as their exclusive or.
  bool hasDisjointRegisters() const;

  /// True if no two threads hold the same element.
  bool hasOneThreadPerElement() const;

  /// So many elements of each thread, the first in its registers, are
  /// neighbours along `dim`: a power of two.
  unsigned countNeighbours(unsigned dim) const;
  /// The same of a warp, in whatever order its lanes hold them.
  unsigned countWarpNeighbours(unsigned dim) const;

  //===--------------------------------------------------------------------===//
  // Shape operations: the layout of the result, given that of the operand
  //===--------------------------------------------------------------------===//

  /// Without dimension `dim`. Registers that only differ in it are one.
  LinearLayout dropDimension(unsigned dim) const;
  /// As `dropDimension`, but lanes that differed in nothing else no longer hold
  /// the same: each bit of theirs takes over one of the registers. If there are
  /// more registers than they can take over, the first bits of these stay in
  /// which neighbours differ that one instruction may store.
  LinearLayout spreadDimension(unsigned dim) const;
  /// Dimension `i` of the result is dimension `permutation[i]`.
  LinearLayout transpose(llvm::ArrayRef<int64_t> permutation) const;
  /// Row-major order of `from` becomes row-major order of `to`; all sizes are
  /// powers of two.
  LinearLayout reshape(llvm::ArrayRef<int64_t> from,
                       llvm::ArrayRef<int64_t> to) const;
  /// The layout of an operand of size one in `dims`, which is then broadcast.
  LinearLayout collapseDimensions(llvm::ArrayRef<unsigned> dims) const;

  //===--------------------------------------------------------------------===//
  // Comparing
  //===--------------------------------------------------------------------===//

  /// If each thread already holds, under `*this`, all it needs under `target`:
  /// for each register of `target`, the register of `*this` to take it from.
  std::optional<llvm::SmallVector<unsigned>>
  findRegisters(const LinearLayout &target) const;

  bool operator==(const LinearLayout &other) const;
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }

private:
  /// Applies `change` to every basis and drops registers that became zero.
  template <typename Change>
  LinearLayout mapBases(unsigned newRank, Change change) const;

  unsigned rank = 0;
  Bases registers, lanes, warps;
};

} // namespace mlir::cta

#endif // TRITON_SHARED_LAYOUT_LINEARLAYOUT_H
