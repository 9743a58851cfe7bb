//===- SharedLayoutTest.cpp - Shared memory, place by place ---------------===//
//
// Offsets are checked by enumeration, `ldmatrix` by doing what the PTX manual
// says that it does, and bank conflicts by counting.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Layout/SharedAccess.h"

#include "gtest/gtest.h"

#include <set>

using namespace mlir::cta;
using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::triton_shared::GpuTarget;

namespace {

constexpr int32_t kRowBytes = 16;

using Bases = LinearLayout::Bases;

void addSteps(Bases &bases, unsigned dim, int32_t from, int32_t to) {
  for (int32_t step = from; step < to; step *= 2) {
    bases.push_back({0, 0});
    bases.back()[dim] = step;
  }
}

/// What `mma.sync` takes of a matrix of `rows` x `columns`, whose K is
/// dimension `k`: `perWord` neighbours along K in a word, words of four lanes,
/// the other dimension in groups of eight lanes.
LinearLayout getOperand(unsigned k, int32_t rows, int32_t columns,
                        int32_t perWord) {
  unsigned other = 1 - k;
  int32_t sizes[2] = {rows, columns};
  Bases registers, lanes;
  addSteps(registers, k, 1, perWord);
  addSteps(registers, k, 4 * perWord, sizes[k]);
  addSteps(registers, other, 8, sizes[other]);
  addSteps(lanes, k, perWord, 4 * perWord);
  addSteps(lanes, other, 1, 8);
  return LinearLayout(2, registers, lanes, {});
}

/// What a warp that writes `perThread` neighbours of rows holds.
LinearLayout getRows(ArrayRef<int64_t> shape, unsigned perThread) {
  return LinearLayout::getBlocked(shape, {1, 0}, perThread, /*numWarps=*/1);
}

LinearLayout getColumns(ArrayRef<int64_t> shape, unsigned perThread) {
  return LinearLayout::getBlocked(shape, {0, 1}, perThread, /*numWarps=*/1);
}

SmallVector<SharedLayout> getExamples(ArrayRef<int64_t> shape) {
  SmallVector<SharedLayout> examples;
  for (SmallVector<unsigned> order :
       {SmallVector<unsigned>{1, 0}, SmallVector<unsigned>{0, 1}})
    for (Swizzle swizzle :
         {Swizzle(), Swizzle{8, 1, 2}, Swizzle{4, 2, 4}, Swizzle{2, 4, 8}})
      examples.push_back(SharedLayout::get(shape, order, swizzle));
  return examples;
}

} // namespace

TEST(SharedLayout, HasOneOffsetForEachElement) {
  SmallVector<int64_t> shape = {16, 32};
  for (const SharedLayout &layout : getExamples(shape)) {
    EXPECT_TRUE(layout.covers(shape));
    EXPECT_FALSE(layout.covers({32, 16}));
    std::set<int32_t> offsets;
    for (int32_t row = 0; row < shape[0]; ++row)
      for (int32_t column = 0; column < shape[1]; ++column)
        offsets.insert(layout.getOffset({row, column}));
    EXPECT_EQ(offsets.size(), 512u);
    EXPECT_EQ(*offsets.rbegin(), 511);
  }
}

TEST(SharedLayout, OffsetsAndCoordinatesAreInverse) {
  for (const SharedLayout &layout : getExamples({16, 32}))
    for (int32_t offset = 0; offset < 512; ++offset) {
      Coordinates coordinates(2, 0);
      for (auto [bit, basis] : llvm::enumerate(layout.getOffsets()))
        if (offset >> bit & 1)
          for (unsigned dim = 0; dim < 2; ++dim)
            coordinates[dim] ^= basis[dim];
      EXPECT_EQ(layout.getOffset(coordinates), offset);
    }
}

TEST(SharedLayout, SwizzleMovesPiecesFromRowToRow) {
  // Pieces of 8, two rows in step, four steps: row 2 begins with piece 1.
  SharedLayout layout = SharedLayout::get({16, 32}, {1, 0}, {8, 2, 4});
  EXPECT_EQ(layout.getOffset({0, 0}), 0);
  EXPECT_EQ(layout.getOffset({1, 0}), 32);
  EXPECT_EQ(layout.getOffset({2, 0}), 64 + 8);
  EXPECT_EQ(layout.getOffset({2, 9}), 64 + 1);
  EXPECT_EQ(layout.getOffset({6, 16}), 6 * 32 + 8);
  EXPECT_EQ(layout.getOffset({8, 3}), 8 * 32 + 3);
}

TEST(SharedLayout, TransposedElementsLieWhereTheyDid) {
  for (const SharedLayout &layout : getExamples({16, 32})) {
    SharedLayout transposed = layout.transpose({1, 0});
    EXPECT_TRUE(transposed.covers({32, 16}));
    for (int32_t row = 0; row < 16; ++row)
      for (int32_t column = 0; column < 32; ++column)
        EXPECT_EQ(transposed.getOffset({column, row}),
                  layout.getOffset({row, column}));
    EXPECT_EQ(transposed.transpose({1, 0}), layout);
  }
}

TEST(SharedLayout, PlacesWhatThreadsHold) {
  SmallVector<int64_t> shape = {16, 32};
  LinearLayout held = getOperand(1, 16, 32, 2);
  for (const SharedLayout &layout : getExamples(shape)) {
    LinearLayout placed = layout.place(held);
    for (unsigned reg = 0; reg < held.getNumRegisters(); ++reg)
      for (unsigned lane = 0; lane < GpuTarget::kWarpSize; ++lane)
        EXPECT_EQ(placed.apply(reg, lane, 0)[0],
                  layout.getOffset(held.apply(reg, lane, 0)));
  }
}

TEST(SharedAccess, PiecesAreNeighboursThatBeginAtMultiples) {
  SmallVector<int64_t> shape = {16, 32};
  for (const LinearLayout &held :
       {getRows(shape, 8), getColumns(shape, 4), getOperand(1, 16, 32, 2)})
    for (const SharedLayout &layout : getExamples(shape)) {
      LinearLayout placed = layout.place(held);
      std::set<unsigned> seen;
      for (const Piece &piece : getPieces(placed, 8)) {
        for (unsigned lane = 0; lane < GpuTarget::kWarpSize; ++lane) {
          int32_t first = placed.apply(piece.front(), lane, 0)[0];
          EXPECT_EQ(first % static_cast<int32_t>(piece.size()), 0);
          for (auto [i, reg] : llvm::enumerate(piece))
            EXPECT_EQ(placed.apply(reg, lane, 0)[0],
                      first + static_cast<int32_t>(i));
        }
        seen.insert(piece.begin(), piece.end());
      }
      EXPECT_EQ(seen.size(), held.getNumRegisters());
    }
}

namespace {

/// Does what `ldmatrix` does and compares with what each thread should get.
void checkMatrixLoad(const LinearLayout &placed, unsigned elementBytes,
                     bool isTransposed) {
  std::optional<MatrixAccess> load = findMatrixAccess(placed, elementBytes);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->isTransposed, isTransposed);
  unsigned perWord = 4 / elementBytes;
  for (unsigned i = 0; i < load->rows.getNumRegisters(); ++i)
    for (unsigned m = 0; m < load->numMatrices; ++m)
      for (unsigned lane = 0; lane < GpuTarget::kWarpSize; ++lane) {
        const Piece &word = load->registers[i * load->numMatrices + m];
        ASSERT_EQ(word.size(), perWord);
        for (unsigned e = 0; e < perWord; ++e) {
          unsigned row = isTransposed ? lane % 4 * 2 + e : lane / 4;
          unsigned inRow = isTransposed ? lane / 4 : lane % 4 * perWord + e;
          int32_t named = load->rows.apply(i, 8 * m + row, 0)[0];
          EXPECT_EQ(named * static_cast<int32_t>(elementBytes) % kRowBytes, 0);
          EXPECT_EQ(placed.apply(word[e], lane, 0)[0],
                    named + static_cast<int32_t>(inRow));
        }
      }
}

} // namespace

TEST(SharedAccess, MatricesAreReadAsTheInstructionTakesThem) {
  Swizzle wide = {8, 1, 4}, bytes = {16, 2, 2}, words = {4, 1, 4};
  auto place = [](unsigned minor, Swizzle swizzle, const LinearLayout &held) {
    return SharedLayout::get({32, 32}, {minor, 1 - minor}, swizzle).place(held);
  };
  for (unsigned k : {0u, 1u}) {
    // Rows in memory go along K, or across.
    checkMatrixLoad(place(k, wide, getOperand(k, 32, 32, 2)), 2, false);
    checkMatrixLoad(place(1 - k, wide, getOperand(k, 32, 32, 2)), 2, true);
    checkMatrixLoad(place(k, bytes, getOperand(k, 32, 32, 4)), 1, false);
    checkMatrixLoad(place(k, words, getOperand(k, 32, 32, 1)), 4, false);
    // There is no such form for other sizes than 16 bits.
    EXPECT_FALSE(
        findMatrixAccess(place(1 - k, bytes, getOperand(k, 32, 32, 4)), 1));
    EXPECT_FALSE(
        findMatrixAccess(place(1 - k, words, getOperand(k, 32, 32, 1)), 4));
  }
  EXPECT_FALSE(findMatrixAccess(
      SharedLayout::getRowMajor({32, 32}).place(getRows({32, 32}, 8)), 2));
}

TEST(SharedAccess, CountsConflicts) {
  // 32 rows of 128 bytes: a column lies in one bank.
  SharedLayout plain = SharedLayout::getRowMajor({32, 32});
  LinearLayout column(2, {}, Bases{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}},
                      {});
  LinearLayout row(2, {}, Bases{{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}}, {});
  LinearLayout one(2, {}, Bases{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}, {});
  EXPECT_EQ(countWavefronts(plain.place(column), 1, 4), 32u);
  EXPECT_EQ(countWavefronts(plain.place(row), 1, 4), 1u);
  // One address is no conflict, nor are halves of one word.
  EXPECT_EQ(countWavefronts(plain.place(one), 1, 4), 1u);
  EXPECT_EQ(countWavefronts(plain.place(row), 1, 2), 1u);
  SharedLayout swizzled = SharedLayout::get({32, 32}, {1, 0}, {1, 1, 32});
  EXPECT_EQ(countWavefronts(swizzled.place(column), 1, 4), 1u);
  EXPECT_EQ(countWavefronts(swizzled.place(row), 1, 4), 1u);
  // 16 bytes of each lane are four times what a wavefront has.
  EXPECT_EQ(
      countWavefronts(plain.place(LinearLayout(
                          2, Bases{{0, 1}, {0, 2}},
                          Bases{{0, 4}, {0, 8}, {0, 16}, {1, 0}, {2, 0}}, {})),
                      4, 4),
      4u);
}

TEST(SharedAccess, HalvesOfAWarpAreServedTogetherIfNeighboursWantTheSame) {
  // 16 bytes of 8 columns each, for 4 rows: measured on an H200.
  SharedLayout row = SharedLayout::getRowMajor({1, 32});
  auto count = [&](const Bases &lanes) {
    return countWavefronts(
        row.place(LinearLayout(2, Bases{{0, 1}, {0, 2}}, lanes, {})), 4, 4);
  };
  EXPECT_EQ(count({{0, 4}, {0, 8}, {0, 16}, {0, 0}, {0, 0}}), 4u);
  EXPECT_EQ(count({{0, 0}, {0, 4}, {0, 8}, {0, 0}, {0, 16}}), 2u);
  EXPECT_EQ(count({{0, 4}, {0, 0}, {0, 8}, {0, 0}, {0, 16}}), 2u);
  EXPECT_EQ(count({{0, 4}, {0, 8}, {0, 0}, {0, 0}, {0, 16}}), 4u);
  EXPECT_EQ(count({{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}), 2u);
}

TEST(SharedAccess, NarrowPiecesTakeMoreInstructionsAndConflict) {
  // Each lane has four neighbours of a column's rows of 128 bytes.
  SharedLayout plain = SharedLayout::getRowMajor({32, 32});
  LinearLayout placed = plain.place(
      LinearLayout(2, Bases{{0, 1}, {0, 2}},
                   Bases{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}, {}));
  MoveCost wide = getPiecesCost(placed, 4, 4);
  EXPECT_EQ(wide.instructions, 1u);
  EXPECT_EQ(wide.wavefronts, 32u);
  MoveCost narrow = getPiecesCost(placed, 4, 1);
  EXPECT_EQ(narrow.instructions, 4u);
  EXPECT_EQ(narrow.wavefronts, 4u * 32);
}

TEST(SharedAccess, OperandsOfProductsHaveNoConflicts) {
  struct Example {
    int64_t rows, columns;
    unsigned k, elementBytes;
    bool alongRows;
  };
  for (const Example &example :
       {Example{64, 64, 1, 2, true}, Example{64, 128, 0, 2, true},
        Example{128, 64, 0, 2, false}, Example{64, 32, 1, 2, true},
        Example{64, 32, 1, 4, true}, Example{64, 64, 1, 1, true},
        Example{64, 16, 1, 2, true}}) {
    SmallVector<int64_t> shape = {example.rows, example.columns};
    unsigned perThread = 16 / example.elementBytes;
    LinearLayout from = example.alongRows ? getRows(shape, perThread)
                                          : getColumns(shape, perThread);
    LinearLayout to = getOperand(example.k, example.rows, example.columns,
                                 4 / example.elementBytes);
    SharedLayout layout =
        chooseSharedLayout(shape, example.elementBytes, from, to, perThread);
    unsigned least =
        example.rows * example.columns * example.elementBytes / 128;
    EXPECT_EQ(getStoreCost(layout.place(from), example.elementBytes).wavefronts,
              least);
    EXPECT_EQ(getLoadCost(layout.place(to), example.elementBytes).wavefronts,
              least);
    // Without a swizzle there are conflicts in all but the shortest rows.
    SharedLayout plain = SharedLayout::getRowMajor(shape);
    if (example.alongRows && example.columns > 16)
      EXPECT_GT(getLoadCost(plain.place(to), example.elementBytes).wavefronts,
                least);
  }
}

TEST(SharedAccess, ResultsOfProductsAreStoredWithoutConflicts) {
  // Pairs of a row per lane become 16 bytes of a row.
  LinearLayout result(2, Bases{{0, 1}, {8, 0}, {0, 8}, {0, 16}, {0, 32}},
                      Bases{{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {});
  SmallVector<int64_t> shape = {16, 64};
  for (unsigned bytes : {2u, 4u}) {
    LinearLayout rows = getRows(shape, 16 / bytes);
    SharedLayout layout = chooseSharedLayout(shape, bytes, result, rows);
    unsigned least = shape[0] * shape[1] * bytes / 128;
    EXPECT_EQ(getStoreCost(layout.place(result), bytes).wavefronts, least);
    EXPECT_EQ(getStoreCost(layout.place(rows), bytes).wavefronts, least);
  }
}

TEST(SharedAccess, MatricesAreWrittenAtOnceWhereThatCanBe) {
  LinearLayout result(2, Bases{{0, 1}, {8, 0}, {0, 8}, {0, 16}, {0, 32}},
                      Bases{{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {});
  SmallVector<int64_t> shape = {16, 64};
  unsigned least = shape[0] * shape[1] * 2 / 128;
  // Read by rows or, as the instruction has a form for it, by columns.
  for (const LinearLayout &to : {getRows(shape, 8), getColumns(shape, 8)}) {
    SharedLayout layout = chooseSharedLayout(shape, 2, result, to,
                                             /*minWidth=*/1,
                                             /*byMatrices=*/true);
    MoveCost cost = getStoreCost(layout.place(result), 2, /*byMatrices=*/true);
    EXPECT_EQ(cost.instructions, result.getNumRegisters() / 8);
    EXPECT_EQ(cost.wavefronts, least);
    EXPECT_EQ(getLoadCost(layout.place(to), 2).wavefronts, least);
    EXPECT_GE(getStoreCost(layout.place(result), 2).instructions,
              4 * cost.instructions);
  }
}
