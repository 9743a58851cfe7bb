//===- WarpSwapTest.cpp - Swaps between layouts, lane by lane -------------===//

#include "triton-shared/Layout/WarpSwap.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir::cta;
using mlir::triton_shared::GpuTarget;

namespace {

using Bases = LinearLayout::Bases;

/// Whether a lane gives of the second register of a pair.
bool givesSecond(const WarpSwap &swap, unsigned lane, unsigned first) {
  return (llvm::popcount(lane & swap.givers) % 2 != 0) != swap.isTurned(first);
}

/// Each lane gets what it should hold, though it asks one lane at a time, and a
/// lane gives one register at a time, to whoever asks.
void check(const LinearLayout &from, const LinearLayout &to, unsigned perWord) {
  std::optional<WarpSwap> swap = findWarpSwap(from, to, perWord);
  ASSERT_TRUE(swap);
  ASSERT_EQ(1u << swap->wordBits.size(), perWord);
  for (unsigned first = 0; first < to.getNumRegisters(); ++first)
    for (unsigned round = 0; first & swap->pairBit ? false : round < 2; ++round)
      for (unsigned warp = 0; warp < to.getNumWarps(); ++warp)
        for (unsigned lane = 0; lane < GpuTarget::kWarpSize; ++lane) {
          bool asksSecond = swap->isOdd(lane) != (round == 1);
          unsigned reg = asksSecond ? first | swap->pairBit : first;
          unsigned source = swap->lanes.apply(first, lane, warp)[0];
          source ^= round ? swap->secondLane : 0;
          ASSERT_LT(source, GpuTarget::kWarpSize);
          unsigned given =
              swap->getGiven(first, round, givesSecond(*swap, source, first));
          ASSERT_EQ(from.apply(given, source, warp), to.apply(reg, lane, warp));
        }
}

} // namespace

// Scores, 16 rows of a warp, as the left operand of a product of bytes.
TEST(WarpSwap, SumsOfAProductAsBytesOfTheNext) {
  LinearLayout sums(2, {{0, 1}, {8, 0}, {0, 8}, {0, 16}},
                    {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {{16, 0}});
  LinearLayout operand(2, {{0, 1}, {0, 2}, {8, 0}, {0, 16}},
                       {{0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 0}}, {{16, 0}});
  for (unsigned perWord : {1, 2, 4}) {
    check(sums, operand, perWord);
    check(operand, sums, perWord);
  }
}

TEST(WarpSwap, RandomLayouts) {
  std::mt19937 random(7);
  auto add = [](Coordinates &to, const Coordinates &other) {
    for (auto [value, bits] : llvm::zip_equal(to, other))
      value ^= bits;
  };
  for (unsigned i = 0; i < 300; ++i) {
    Bases lanes = {{1, 0}, {2, 0}, {4, 0}, {0, 1}, {0, 2}};
    Bases registers = {{8, 0}, {0, 4}, {16, 0}};
    LinearLayout from(2, registers, lanes, Bases{{0, 8}});
    // One bit each changes places; lanes and registers change among themselves.
    std::shuffle(lanes.begin(), lanes.end(), random);
    std::shuffle(registers.begin(), registers.end(), random);
    std::swap(lanes[random() % 5], registers[random() % 3]);
    for (unsigned k = 0; k < 6; ++k) {
      unsigned a = random() % 5, b = random() % 5;
      if (a != b)
        add(lanes[a], lanes[b]);
      unsigned c = random() % 3, d = random() % 3;
      if (c != d)
        add(registers[c], registers[d]);
    }
    std::shuffle(lanes.begin(), lanes.end(), random);
    check(from, LinearLayout(2, registers, lanes, Bases{{0, 8}}), 1);
  }
}

TEST(WarpSwap, NotWhereAShuffleDoesIt) {
  LinearLayout from(1, {{32}}, {{1}, {2}, {4}, {8}, {16}}, Bases{{64}});
  LinearLayout to(1, {{32}}, {{16}, {1}, {8}, {2}, {4}}, Bases{{64}});
  EXPECT_FALSE(findWarpSwap(from, to, 1));
}

TEST(WarpSwap, NotOfTwoBitsAtOnce) {
  LinearLayout from(1, {{32}, {64}}, {{1}, {2}, {4}, {8}, {16}}, {});
  LinearLayout to(1, {{1}, {2}}, {{32}, {64}, {4}, {8}, {16}}, {});
  EXPECT_FALSE(findWarpSwap(from, to, 1));
}

TEST(WarpSwap, NotBetweenWarps) {
  Bases lanes = {{1}, {2}, {4}, {8}, {16}},
        swapped = {{64}, {2}, {4}, {8}, {16}};
  EXPECT_FALSE(findWarpSwap(LinearLayout(1, {{64}}, lanes, Bases{{32}}),
                            LinearLayout(1, {{32}}, swapped, Bases{{1}}), 1));
}

TEST(WarpSwap, NotWhereWordsAreNotFull) {
  LinearLayout from(1, {{32}}, {{1}, {2}, {4}, {8}, {16}}, Bases{{64}});
  LinearLayout to(1, {{1}}, {{32}, {2}, {4}, {8}, {16}}, Bases{{64}});
  EXPECT_TRUE(findWarpSwap(from, to, 1));
  EXPECT_FALSE(findWarpSwap(from, to, 2));
}
