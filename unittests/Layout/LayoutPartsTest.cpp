//===- LayoutPartsTest.cpp - Parts of tiles, thread by thread -------------===//

#include "UnitBits.h"

#include "triton-shared/Layout/LayoutParts.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir::cta;
using mlir::triton_shared::GpuTarget;

namespace {

using Bases = LinearLayout::Bases;
using Shape = llvm::SmallVector<int64_t>;

/// A layout of a tile of `whole` whose bits are in any order, some held twice.
LinearLayout getRandom(const Shape &whole, std::mt19937 &random) {
  Bases bits = getUnitBits(whole);
  while (bits.size() < 7 || random() % 3 == 0)
    bits.push_back(Coordinates(whole.size(), 0));
  std::shuffle(bits.begin(), bits.end(), random);
  auto isZero = [](const Coordinates &basis) {
    return llvm::all_of(basis, [](int32_t value) { return value == 0; });
  };
  Bases lanes(bits.begin(), bits.begin() + 5),
      warps(bits.begin() + 5, bits.begin() + 7);
  Bases registers(bits.begin() + 7, bits.end());
  llvm::erase_if(registers, isZero);
  return LinearLayout(whole.size(), registers, lanes, warps);
}

/// Every thread holds, of each part, the same elements.
void checkParts(const LinearLayout &layout, const Shape &whole,
                const Shape &part) {
  ASSERT_TRUE(arePartsInRegisters(layout, part));
  ASSERT_TRUE(layout.covers(whole));
  LinearLayout ofPart = getPartLayout(layout, part);
  EXPECT_TRUE(ofPart.covers(part));
  for (unsigned warp = 0; warp < layout.getNumWarps(); ++warp)
    for (unsigned lane = 0; lane < GpuTarget::kWarpSize; ++lane)
      for (unsigned reg = 0; reg < ofPart.getNumRegisters(); ++reg) {
        Coordinates place = ofPart.apply(reg, lane, warp);
        for (auto [value, size] : llvm::zip_equal(place, part))
          EXPECT_LT(value, size);
      }
}

} // namespace

TEST(LayoutParts, AnyLayoutCanHaveAnyPartsInRegisters) {
  std::mt19937 random(1);
  for (const auto &[whole, part] : {std::pair<Shape, Shape>{{64, 32}, {64, 16}},
                                    {{64, 32}, {1, 32}},
                                    {{16, 2}, {16, 1}},
                                    {{2, 2}, {1, 1}},
                                    {{4, 8, 2}, {2, 8, 1}},
                                    {{512}, {512}}})
    for (unsigned i = 0; i < 20; ++i) {
      LinearLayout layout = getRandom(whole, random);
      LinearLayout changed = bringPartsIntoRegisters(layout, whole, part);
      checkParts(changed, whole, part);
      // What is there stays there.
      if (arePartsInRegisters(layout, part))
        EXPECT_EQ(layout, changed);
      EXPECT_EQ(changed, bringPartsIntoRegisters(changed, whole, part));
    }
}

TEST(LayoutParts, TheWholeOfAPartHasItInRegisters) {
  std::mt19937 random(2);
  Shape whole = {32, 64, 2}, part = {8, 64, 1};
  LinearLayout layout = getWholeLayout(getRandom(part, random), whole, part);
  checkParts(layout, whole, part);
}

TEST(LayoutParts, SwizzledRegistersAreReplaced) {
  // Rows and halves of columns in one bit: no thread has a part of its own.
  Bases lanes = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {2, 0}};
  LinearLayout layout(2, {{1, 16}, {0, 16}}, lanes, {{4, 0}, {0, 0}});
  Shape whole = {8, 32}, part = {8, 16};
  EXPECT_FALSE(arePartsInRegisters(layout, part));
  EXPECT_TRUE(findThreadBits(layout, part).empty());
  checkParts(bringPartsIntoRegisters(layout, whole, part), whole, part);
}

TEST(LayoutParts, NeighboursComeFirst) {
  Bases lanes = {{0, 8}, {0, 16}, {1, 0}, {2, 0}, {4, 0}};
  LinearLayout layout(2, {{8, 0}, {0, 2}, {0, 32}, {0, 1}, {0, 4}}, lanes, {});
  EXPECT_EQ(
      putNeighboursFirst(layout, 1),
      LinearLayout(2, {{0, 1}, {0, 2}, {0, 4}, {8, 0}, {0, 32}}, lanes, {}));
  EXPECT_EQ(putNeighboursFirst(layout, 0), layout);
}
