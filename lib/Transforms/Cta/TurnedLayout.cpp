//===- TurnedLayout.cpp - How threads turn an operand ---------------------===//
//
// `wgmma` reads elements that are not of 16 bits along K alone. A thread takes
// a block of an operand that lies the other way, several neighbours of several
// lines, and has neighbours along K then: the block is turned within its
// registers. How the blocks of a warp should lie is a matter of banks, which
// are counted for a few ways.
//
//===----------------------------------------------------------------------===//

#include "TurnedLayout.h"

#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Layout/SharedAccess.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

namespace {

/// The blocks of threads: how many neighbours one has in each dimension, and
/// how many bits of a lane's number go along K before the others.
struct Blocks {
  int64_t alongK, acrossK;
  unsigned laneBits;
};

} // namespace

static LinearLayout getLayout(ArrayRef<int64_t> shape, unsigned common,
                              const Blocks &blocks, unsigned numWarps) {
  unsigned own = 1 - common;
  cta::Coordinates covered = {1, 1};
  auto add = [&](LinearLayout::Bases &bases, unsigned dim) {
    if (covered[dim] >= shape[dim])
      return false;
    cta::Coordinates basis(2, 0);
    basis[dim] = covered[dim];
    covered[dim] *= 2;
    bases.push_back(basis);
    return true;
  };
  LinearLayout::Bases registers, lanes, warps;
  while (covered[own] < blocks.acrossK)
    add(registers, own);
  while (covered[common] < blocks.alongK)
    add(registers, common);
  for (unsigned bit = 0; bit < cta::kLaneBits; ++bit) {
    unsigned first = bit < blocks.laneBits ? common : own;
    if (!add(lanes, first))
      add(lanes, 1 - first);
  }
  for (unsigned bit = 0; bit < llvm::Log2_32(numWarps); ++bit)
    if (!add(warps, own))
      add(warps, common);
  while (add(registers, own) || add(registers, common)) {
  }
  return LinearLayout(2, registers, lanes, warps);
}

/// What a warp takes to read a tile that lies across K, in the way that suits
/// best, and to write it along K.
static unsigned getWeight(OpOperand &operand, const LinearLayout &layout,
                          const LinearLayout &copied,
                          const cta::SharedLayout &alongK) {
  RankedTensorType tile = cta::getTile(operand.get());
  unsigned bytes = cta::getElementBytes(tile);
  unsigned atOnce = GpuTarget::kBytesPerAccess / bytes;
  cta::SharedLayout ring =
      cta::chooseSharedLayout(tile.getShape(), bytes, copied, layout, atOnce);
  return cta::getLoadCost(ring.place(layout), bytes).getWeight() +
         cta::getStoreCost(alongK.place(layout), bytes).getWeight();
}

std::optional<LinearLayout>
triton_shared::chooseTurnedLayout(OpOperand &operand, unsigned numWarps) {
  RankedTensorType tile = cta::getTile(operand.get());
  ArrayRef<int64_t> shape = tile.getShape();
  unsigned common = operand.getOperandNumber() == 0 ? 1 : 0;
  int64_t bytes = cta::getElementBytes(tile);
  int64_t perThread =
      tile.getNumElements() / (int64_t(numWarps) * GpuTarget::kWarpSize);
  std::optional<cta::SharedLayout> alongK =
      cta::findMatrixLayout(operand, common);
  std::optional<std::pair<unsigned, LinearLayout>> best;
  for (int64_t along :
       {GpuTarget::kBytesPerAccess / bytes, GpuTarget::kBytesPerWord / bytes})
    for (int64_t across = GpuTarget::kBytesPerWord / bytes;
         across * bytes <= GpuTarget::kBytesPerAccess; across *= 2)
      for (unsigned laneBits : {0, 1, 2, 3}) {
        if (!alongK || across * along > perThread || along > shape[common] ||
            across > shape[1 - common])
          continue;
        LinearLayout layout =
            getLayout(shape, common, {along, across, laneBits}, numWarps);
        unsigned weight =
            getWeight(operand, layout, cta::getLayout(tile), *alongK);
        if (!best || weight < best->first)
          best = {weight, layout};
      }
  if (!best)
    return std::nullopt;
  return best->second;
}
