//===- WarpSwap.cpp - A warp's registers and lanes swapped ----------------===//

#include "triton-shared/Layout/WarpSwap.h"

#include "PlaceFinder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::cta;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// What a swap does
//===----------------------------------------------------------------------===//

/// True if an odd number of the bits of `mask` is set in `number`.
static bool isOddIn(unsigned number, unsigned mask) {
  return llvm::popcount(number & mask) % 2;
}

bool WarpSwap::isOdd(unsigned lane) const { return isOddIn(lane, oddLanes); }

bool WarpSwap::isTurned(unsigned first) const {
  return isOddIn(lanes.applyRegister(first)[0], givers);
}

unsigned WarpSwap::getGiven(unsigned first, unsigned round,
                            bool givesSecond) const {
  // In the first round even lanes ask for the first register, and odd ones for
  // the second; then it is the other way round.
  bool isForOdd = givesSecond != (round == 1);
  unsigned asked = givesSecond ? first | pairBit : first;
  return registers[asked] ^ (isForOdd ? oddRegister : 0);
}

//===----------------------------------------------------------------------===//
// Finding it
//===----------------------------------------------------------------------===//

namespace {

/// Builds a swap from the places of the bits of its result.
class SwapBuilder {
public:
  SwapBuilder(ArrayRef<Place> ofRegisters, ArrayRef<Place> ofLanes)
      : ofRegisters(ofRegisters), ofLanes(ofLanes) {}

  /// Finds which lanes need other registers: all of these the same ones.
  bool findOddLanes() {
    swap.oddLanes = swap.oddRegister = 0;
    for (auto [bit, place] : llvm::enumerate(ofLanes)) {
      unsigned other = getRegister(place);
      if (!other)
        continue;
      if (swap.oddRegister && swap.oddRegister != other)
        return false;
      swap.oddRegister = other;
      swap.oddLanes |= 1u << bit;
    }
    return swap.oddRegister != 0;
  }

  /// Finds the pairs: their second registers lie in lanes that nobody asks for
  /// the first ones.
  bool findPairs() {
    for (auto [bit, place] : llvm::enumerate(ofRegisters))
      if (std::optional<unsigned> givers = findGivers(getLane(place))) {
        swap.pairBit = 1u << bit;
        swap.secondLane = getLane(place);
        swap.givers = *givers;
        return true;
      }
    return false;
  }

  /// Finds what goes as a word: best what lies side by side.
  bool findWords(unsigned perWord) {
    unsigned wanted = llvm::Log2_32(perWord);
    for (bool isBeside : {true, false})
      for (auto [bit, place] : llvm::enumerate(ofRegisters))
        if (swap.wordBits.size() < wanted && 1u << bit != swap.pairBit &&
            !getLane(place) && (getRegister(place) == 1) == isBeside)
          swap.wordBits.push_back(1u << bit);
    return swap.wordBits.size() == wanted;
  }

  WarpSwap finish(unsigned numWarpBits) {
    swap.registers = listRegisters(ofRegisters);
    SmallVector<Place> asked(ofLanes);
    for (auto [bit, place] : llvm::enumerate(asked))
      if (swap.oddLanes >> bit & 1)
        place ^= swap.secondLane;
    swap.lanes = layOutLanes(ofRegisters, asked, numWarpBits);
    return swap;
  }

private:
  /// The bits of which an even number is set in every lane that is asked for a
  /// first register, and an odd one in `secondLane`; nothing if there are none.
  std::optional<unsigned> findGivers(unsigned secondLane) const {
    for (unsigned mask = 1; mask <= kLaneMask; ++mask)
      if (isOddIn(secondLane, mask) && llvm::none_of(ofLanes, [&](Place place) {
            return isOddIn(getLane(place), mask);
          }))
        return mask;
    return std::nullopt;
  }

  ArrayRef<Place> ofRegisters, ofLanes;
  WarpSwap swap;
};

} // namespace

std::optional<WarpSwap> mlir::cta::findWarpSwap(const LinearLayout &from,
                                                const LinearLayout &to,
                                                unsigned perWord) {
  if (from.getRank() != to.getRank() || from.getWarps() != to.getWarps())
    return std::nullopt;
  PlaceFinder finder(from);
  std::optional<SmallVector<Place>> registers =
      finder.findAll(to.getRegisters());
  std::optional<SmallVector<Place>> lanes = finder.findAll(to.getLanes());
  if (!registers || !lanes)
    return std::nullopt;
  SwapBuilder builder(*registers, *lanes);
  if (!builder.findOddLanes() || !builder.findPairs() ||
      !builder.findWords(perWord))
    return std::nullopt;
  return builder.finish(to.getWarps().size());
}
