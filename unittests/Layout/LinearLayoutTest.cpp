//===- LinearLayoutTest.cpp - The algebra of layouts, by enumeration ------===//
//
// Every property is checked place by place: a place is a register, a lane and a
// warp, and moving the coordinates of its element by hand must give what the
// layout of the result says.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Layout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace mlir::cta;
using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::triton_shared::GpuTarget;

namespace {

using Shape = SmallVector<int64_t>;

/// A layout, the shape of the tile that it is of, and how it was made.
struct Example {
  LinearLayout layout;
  Shape shape;
  std::string name;
};

int64_t countElements(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

/// Bit `bit` of the row-major index of an element of `shape`.
Coordinates getBasis(ArrayRef<int64_t> shape, unsigned bit) {
  Coordinates basis(shape.size(), 0);
  for (size_t dim = shape.size(); dim-- > 0;) {
    unsigned bits = llvm::Log2_64(shape[dim]);
    if (bit < bits) {
      basis[dim] = 1 << bit;
      return basis;
    }
    bit -= bits;
  }
  return basis;
}

/// An invertible layout whose bases are random sums of bits: swizzles,
/// replicated threads and permuted bits all occur.
Example makeRandom(std::mt19937 &random, Shape shape, unsigned warpBits) {
  unsigned bits = llvm::Log2_64(countElements(shape));
  SmallVector<uint32_t> rows(bits);
  for (unsigned i = 0; i < bits; ++i)
    rows[i] = 1u << i;
  std::shuffle(rows.begin(), rows.end(), random);
  for (unsigned i = 0; bits > 1 && i < 3 * bits; ++i) {
    unsigned to = random() % bits, from = random() % bits;
    if (to != from)
      rows[to] ^= rows[from];
  }
  LinearLayout::Bases registers, lanes, warps;
  // Zeros fill up the threads; extra bits are registers.
  SmallVector<uint32_t> threads;
  for (unsigned i = 0; i < kLaneBits + warpBits; ++i) {
    bool isFree = rows.empty() || random() % 4 == 0;
    threads.push_back(isFree ? 0 : rows.pop_back_val());
  }
  auto expand = [&](uint32_t row) {
    Coordinates sum(shape.size(), 0);
    for (unsigned bit = 0; bit < bits; ++bit)
      if (row >> bit & 1)
        for (auto [value, other] : llvm::zip_equal(sum, getBasis(shape, bit)))
          value ^= other;
    return sum;
  };
  for (unsigned i = 0; i < threads.size(); ++i)
    (i < kLaneBits ? lanes : warps).push_back(expand(threads[i]));
  for (uint32_t row : rows)
    registers.push_back(expand(row));
  return {LinearLayout(shape.size(), registers, lanes, warps), shape, "random"};
}

const SmallVector<Shape> kShapes = {
    {},         {1},      {8},       {32},       {512},
    {4, 64},    {64, 4},  {1, 16},   {16, 1},    {2, 4, 8},
    {8, 1, 32}, {16, 16}, {32, 128}, {2, 2, 64}, {2, 2, 2, 8}};

std::vector<Example> makeExamples() {
  std::vector<Example> examples;
  std::mt19937 random(1);
  for (const Shape &shape : kShapes) {
    SmallVector<unsigned> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      for (unsigned perThread : {1, 4})
        for (unsigned warps : {1, 8})
          examples.push_back(
              {LinearLayout::getBlocked(shape, order, perThread, warps), shape,
               "blocked " + std::to_string(perThread) + " per thread, " +
                   std::to_string(warps) + " warps"});
    } while (std::next_permutation(order.begin(), order.end()));
    for (unsigned i = 0; i < 8; ++i)
      examples.push_back(makeRandom(random, shape, i % 4));
  }
  return examples;
}

/// Calls `visit(register, lane, warp)` for every place.
template <typename Visit>
void forEachPlace(const LinearLayout &layout, Visit visit) {
  for (unsigned warp = 0; warp < layout.getNumWarps(); ++warp)
    for (unsigned lane = 0; lane < GpuTarget::kWarpSize; ++lane)
      for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg)
        visit(reg, lane, warp);
}

uint64_t flatten(const Coordinates &coordinates, ArrayRef<int64_t> shape) {
  uint64_t index = 0;
  for (auto [value, size] : llvm::zip_equal(coordinates, shape))
    index = index * size + value;
  return index;
}

Coordinates unflatten(uint64_t index, ArrayRef<int64_t> shape) {
  Coordinates coordinates(shape.size(), 0);
  for (size_t dim = shape.size(); dim-- > 0; index /= shape[dim])
    coordinates[dim] = index % shape[dim];
  return coordinates;
}

/// `result` holds, in register order, what `move` makes of the elements of
/// `source` in the same thread; registers that `move` makes equal are one.
template <typename Move>
void expectMoved(const Example &example, const LinearLayout &result,
                 Move move) {
  const LinearLayout &source = example.layout;
  ASSERT_EQ(result.getNumWarps(), source.getNumWarps());
  for (unsigned warp = 0; warp < source.getNumWarps(); ++warp)
    for (unsigned lane = 0; lane < GpuTarget::kWarpSize; ++lane) {
      std::vector<Coordinates> expected, actual;
      for (unsigned reg = 0; reg < source.getNumRegisters(); ++reg) {
        Coordinates moved = move(source.apply(reg, lane, warp));
        if (!llvm::is_contained(expected, moved))
          expected.push_back(moved);
      }
      for (unsigned reg = 0; reg < result.getNumRegisters(); ++reg)
        actual.push_back(result.apply(reg, lane, warp));
      // Of linearly dependent registers, more than one may hold an element.
      if (example.name == "random" && actual.size() > expected.size()) {
        std::set<Coordinates> wanted(expected.begin(), expected.end());
        std::set<Coordinates> held(actual.begin(), actual.end());
        ASSERT_EQ(wanted, held);
      } else {
        ASSERT_EQ(expected, actual) << example.name;
      }
    }
}

TEST(LinearLayoutTest, EveryElementHasAPlaceAndNoPlaceLiesOutside) {
  for (const Example &example : makeExamples()) {
    std::set<uint64_t> held;
    forEachPlace(example.layout, [&](unsigned reg, unsigned lane, unsigned w) {
      Coordinates place = example.layout.apply(reg, lane, w);
      for (auto [value, size] : llvm::zip_equal(place, example.shape))
        ASSERT_TRUE(value >= 0 && value < size) << example.name;
      held.insert(flatten(place, example.shape));
    });
    EXPECT_EQ(static_cast<int64_t>(held.size()), countElements(example.shape));
    EXPECT_TRUE(example.layout.covers(example.shape)) << example.name;
  }
}

TEST(LinearLayoutTest, CoversSeesWhatIsMissingOrOutside) {
  for (const Example &example : makeExamples()) {
    if (example.shape.empty())
      continue;
    Shape larger(example.shape), smaller(example.shape), deeper(example.shape);
    larger.back() *= 2;
    deeper.push_back(1);
    EXPECT_FALSE(example.layout.covers(larger));
    EXPECT_FALSE(example.layout.covers(deeper));
    if (smaller.back() > 1) {
      smaller.back() /= 2;
      EXPECT_FALSE(example.layout.covers(smaller));
    }
  }
}

TEST(LinearLayoutTest, ApplyIsLinear) {
  for (const Example &example : makeExamples()) {
    const LinearLayout &layout = example.layout;
    forEachPlace(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      Coordinates sum = layout.applyRegister(reg);
      for (const Coordinates &part :
           {layout.apply(0, lane, 0), layout.apply(0, 0, warp)})
        for (auto [value, other] : llvm::zip_equal(sum, part))
          value ^= other;
      ASSERT_EQ(sum, layout.apply(reg, lane, warp));
    });
  }
}

TEST(LinearLayoutTest, BlockedTilesWalkAlongTheirOrder) {
  // 4x64 on one warp, four neighbours of a row per thread: half a row takes
  // eight lanes, a row sixteen, and the other two rows a further register bit.
  LinearLayout layout = LinearLayout::getBlocked({4, 64}, {1, 0}, 4, 1);
  EXPECT_EQ(layout.getNumRegisters(), 8u);
  EXPECT_EQ(layout.apply(3, 0, 0), (Coordinates{0, 3}));
  EXPECT_EQ(layout.apply(0, 1, 0), (Coordinates{0, 4}));
  EXPECT_EQ(layout.apply(0, 16, 0), (Coordinates{1, 0}));
  EXPECT_EQ(layout.apply(4, 0, 0), (Coordinates{2, 0}));
}

TEST(LinearLayoutTest, ASmallTileIsHeldSeveralTimes) {
  for (const Shape &shape : kShapes) {
    SmallVector<unsigned> order(shape.size());
    std::iota(order.rbegin(), order.rend(), 0);
    LinearLayout layout = LinearLayout::getBlocked(shape, order, 4, 8);
    int64_t threads = 8 * GpuTarget::kWarpSize, size = countElements(shape);
    std::map<uint64_t, int64_t> holders;
    forEachPlace(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      ++holders[flatten(layout.apply(reg, lane, warp), shape)];
    });
    for (auto [element, count] : holders)
      EXPECT_EQ(count, std::max<int64_t>(1, threads / size));
    // More elements in one thread never leave another one idle.
    EXPECT_EQ(layout.getNumRegisters(), std::max<int64_t>(1, size / threads));
  }
}

TEST(LinearLayoutTest, DisjointRegistersAreThoseThatMayBeAdded) {
  for (const Example &example : makeExamples()) {
    const LinearLayout &layout = example.layout;
    bool mayAdd = true;
    // Also where the register is a sum of its own bits.
    forEachPlace(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      Coordinates sum = layout.apply(0, lane, warp);
      for (auto [bit, basis] : llvm::enumerate(layout.getRegisters()))
        if (reg >> bit & 1)
          for (auto [value, other] : llvm::zip_equal(sum, basis))
            value += other;
      mayAdd &= sum == layout.apply(reg, lane, warp);
    });
    if (layout.hasDisjointRegisters())
      EXPECT_TRUE(mayAdd) << example.name;
    if (example.name != "random")
      EXPECT_TRUE(layout.hasDisjointRegisters()) << example.name;
    // A sum that is always right has no bit in both of its terms.
    EXPECT_EQ(layout.hasDisjointRegisters(), mayAdd) << example.name;
  }
}

TEST(LinearLayoutTest, DroppedDimensionsLeaveTheOtherCoordinates) {
  for (const Example &example : makeExamples())
    for (unsigned dim = 0; dim < example.shape.size(); ++dim)
      expectMoved(example, example.layout.dropDimension(dim),
                  [&](Coordinates place) {
                    place.erase(place.begin() + dim);
                    return place;
                  });
}

TEST(LinearLayoutTest, LanesAlongADimensionSpreadWhatIsLeftOfIt) {
  // Four rows of a thread, 16 lanes and two warps along the columns.
  LinearLayout rows(2, {{1, 0}, {2, 0}, {0, 1}},
                    {{0, 2}, {0, 4}, {0, 8}, {0, 16}, {4, 0}},
                    {{0, 32}, {8, 0}});
  EXPECT_EQ(rows.spreadDimension(1),
            LinearLayout(1, {}, {{1}, {2}, {0}, {0}, {4}}, {{0}, {8}}));
  // More rows than lanes.
  LinearLayout many(2, {{2, 0}, {4, 0}, {8, 0}},
                    {{0, 1}, {0, 2}, {16, 0}, {32, 0}, {64, 0}}, {{1, 0}});
  EXPECT_EQ(many.spreadDimension(1),
            LinearLayout(1, {{8}}, {{2}, {4}, {16}, {32}, {64}}, {{1}}));
  // Too many: neighbours stay together, of 16 only eight.
  LinearLayout eight(2, {{0, 1}, {0, 2}, {0, 4}, {1, 0}},
                     {{2, 0}, {4, 0}, {0, 8}, {0, 16}, {0, 32}}, {});
  EXPECT_EQ(eight.spreadDimension(0), eight.dropDimension(0));
  LinearLayout more(2, {{0, 1}, {0, 2}, {0, 4}, {0, 8}},
                    {{1, 0}, {2, 0}, {0, 16}, {0, 32}, {0, 64}}, {});
  EXPECT_EQ(more.spreadDimension(0),
            LinearLayout(1, {{1}, {2}, {4}}, {{8}, {0}, {16}, {32}, {64}}, {}));
  // Along the rows, no lane differs in nothing else.
  EXPECT_EQ(many.spreadDimension(0).getNumRegisters(), 1u);
  for (const Example &example : makeExamples())
    for (unsigned dim = 0; dim < example.shape.size(); ++dim) {
      SmallVector<int64_t> shape(example.shape);
      shape.erase(shape.begin() + dim);
      EXPECT_TRUE(example.layout.spreadDimension(dim).covers(shape));
    }
}

TEST(LinearLayoutTest, TransposedCoordinatesArePermuted) {
  for (const Example &example : makeExamples()) {
    SmallVector<int64_t> permutation(example.shape.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    do
      expectMoved(example, example.layout.transpose(permutation),
                  [&](const Coordinates &place) {
                    Coordinates moved;
                    for (int64_t dim : permutation)
                      moved.push_back(place[dim]);
                    return moved;
                  });
    while (std::next_permutation(permutation.begin(), permutation.end()));
  }
}

TEST(LinearLayoutTest, ReshapedElementsKeepTheirRowMajorOrder) {
  for (const Example &example : makeExamples())
    for (const Shape &shape : kShapes)
      if (countElements(shape) == countElements(example.shape))
        expectMoved(example, example.layout.reshape(example.shape, shape),
                    [&](const Coordinates &place) {
                      return unflatten(flatten(place, example.shape), shape);
                    });
}

TEST(LinearLayoutTest, CollapsedDimensionsHoldOneCoordinate) {
  for (const Example &example : makeExamples())
    for (unsigned mask = 0; mask < 1u << example.shape.size(); ++mask) {
      SmallVector<unsigned> dims;
      for (unsigned dim = 0; dim < example.shape.size(); ++dim)
        if (mask >> dim & 1)
          dims.push_back(dim);
      expectMoved(example, example.layout.collapseDimensions(dims),
                  [&](Coordinates place) {
                    for (unsigned dim : dims)
                      place[dim] = 0;
                    return place;
                  });
    }
}

TEST(LinearLayoutTest, RegistersAreFoundWhereAThreadHoldsTheSame) {
  unsigned found = 0;
  std::vector<Example> examples = makeExamples();
  // Of one shape and number of warps, each to each; and to the same threads
  // with other registers.
  for (const Example &from : examples) {
    std::vector<LinearLayout> targets;
    for (const Example &to : examples)
      if (to.shape == from.shape &&
          to.layout.getNumWarps() == from.layout.getNumWarps())
        targets.push_back(to.layout);
    LinearLayout::Bases reversed(from.layout.getRegisters());
    std::reverse(reversed.begin(), reversed.end());
    targets.emplace_back(from.shape.size(), reversed, from.layout.getLanes(),
                         from.layout.getWarps());
    for (const LinearLayout &to : targets) {
      auto sources = from.layout.findRegisters(to);
      if (!sources)
        continue;
      ++found;
      ASSERT_EQ(sources->size(), to.getNumRegisters());
      forEachPlace(to, [&](unsigned reg, unsigned lane, unsigned warp) {
        ASSERT_EQ(from.layout.apply((*sources)[reg], lane, warp),
                  to.apply(reg, lane, warp));
      });
    }
    // What only reorders registers is always found.
    EXPECT_TRUE(from.layout.findRegisters(targets.back()));
  }
  EXPECT_GT(found, examples.size());
}

TEST(LinearLayoutTest, LayoutsThatDifferAreNotEqual) {
  LinearLayout rows = LinearLayout::getBlocked({16, 16}, {1, 0}, 1, 4);
  LinearLayout columns = LinearLayout::getBlocked({16, 16}, {0, 1}, 1, 4);
  EXPECT_NE(rows, columns);
  EXPECT_EQ(rows, columns.transpose({1, 0}));
  EXPECT_NE(rows, LinearLayout::getBlocked({16, 16}, {1, 0}, 1, 8));
  EXPECT_FALSE(rows.findRegisters(columns));
}

} // namespace
