//===- WarpShuffleTest.cpp - Shuffles between layouts, lane by lane -------===//

#include "triton-shared/Layout/WarpShuffle.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir::cta;
using mlir::triton_shared::GpuTarget;

namespace {

using Bases = LinearLayout::Bases;

/// Each lane gets what it should hold, wherever that was.
void check(const LinearLayout &from, const LinearLayout &to) {
  std::optional<WarpShuffle> shuffle = findWarpShuffle(from, to);
  ASSERT_TRUE(shuffle);
  ASSERT_EQ(shuffle->registers.size(), to.getNumRegisters());
  for (unsigned warp = 0; warp < to.getNumWarps(); ++warp)
    for (unsigned lane = 0; lane < GpuTarget::kWarpSize; ++lane)
      for (unsigned reg = 0; reg < to.getNumRegisters(); ++reg) {
        unsigned source = shuffle->lanes.apply(reg, lane, warp)[0];
        ASSERT_LT(source, GpuTarget::kWarpSize);
        EXPECT_EQ(from.apply(shuffle->registers[reg], source, warp),
                  to.apply(reg, lane, warp));
      }
}

LinearLayout getRow(const Bases &registers, const Bases &lanes) {
  return LinearLayout(1, registers, lanes, Bases{{64}});
}

} // namespace

TEST(WarpShuffle, LanesInAnotherOrder) {
  check(getRow({{32}}, {{1}, {2}, {4}, {8}, {16}}),
        getRow({{32}}, {{16}, {1}, {8}, {2}, {4}}));
  // A register that tells lanes apart becomes one that does not, and back.
  check(getRow({}, {{1}, {2}, {4}, {8}, {16}}),
        getRow({{1}}, {{2}, {4}, {8}, {16}, {0}}));
  check(getRow({{1}}, {{2}, {4}, {8}, {16}, {0}}),
        getRow({{1}}, {{0}, {2}, {4}, {8}, {16}}));
}

TEST(WarpShuffle, RandomLayouts) {
  std::mt19937 random(3);
  for (unsigned i = 0; i < 200; ++i) {
    // Lanes are sums of lanes, registers of anything.
    Bases lanes = {{1, 0}, {2, 0}, {4, 0}, {0, 1}, {0, 2}};
    Bases registers = {{8, 0}, {0, 4}, {16, 0}};
    LinearLayout from(2, registers, lanes, Bases{{0, 8}});
    auto add = [](Coordinates &to, const Coordinates &other) {
      for (auto [value, bits] : llvm::zip_equal(to, other))
        value ^= bits;
    };
    std::shuffle(lanes.begin(), lanes.end(), random);
    std::shuffle(registers.begin(), registers.end(), random);
    for (unsigned k = 0; k < 8; ++k) {
      unsigned a = random() % 5, b = random() % 5;
      if (a != b)
        add(lanes[a], lanes[b]);
      add(registers[random() % 3], lanes[random() % 5]);
    }
    check(from, LinearLayout(2, registers, lanes, Bases{{0, 8}}));
  }
}

TEST(WarpShuffle, NotWhereLanesNeedDifferentRegisters) {
  // What told registers apart tells lanes apart.
  EXPECT_FALSE(findWarpShuffle(getRow({{32}}, {{1}, {2}, {4}, {8}, {16}}),
                               getRow({{1}}, {{2}, {4}, {8}, {16}, {32}})));
}

TEST(WarpShuffle, NotBetweenWarps) {
  Bases lanes = {{1}, {2}, {4}, {8}, {16}};
  EXPECT_FALSE(findWarpShuffle(LinearLayout(1, {{64}}, lanes, Bases{{32}}),
                               LinearLayout(1, {{32}}, lanes, Bases{{64}})));
}
