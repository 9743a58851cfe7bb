//===- ExchangeRoundsTest.cpp - Rounds of an exchange, thread by thread ---===//

#include "UnitBits.h"

#include "triton-shared/Layout/ExchangeRounds.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace mlir::cta;
using mlir::triton_shared::GpuTarget;

namespace {

using Bases = LinearLayout::Bases;
using Shape = llvm::SmallVector<int64_t>;

constexpr unsigned kWarps = 4, kThreadBits = 7;

/// A layout of a tile of `whole` whose bits are in any order; one may stand for
/// several bits of the coordinates at once.
LinearLayout getRandom(const Shape &whole, std::mt19937 &random) {
  Bases bits = getUnitBits(whole);
  std::shuffle(bits.begin(), bits.end(), random);
  for (size_t i = 1; i < bits.size(); ++i)
    if (random() % 6 == 0)
      for (auto [value, other] : llvm::zip_equal(bits[i], bits[i - 1]))
        value ^= other;
  return LinearLayout(whole.size(),
                      Bases(bits.begin() + kThreadBits, bits.end()),
                      Bases(bits.begin(), bits.begin() + 5),
                      Bases(bits.begin() + 5, bits.begin() + kThreadBits));
}

/// What all threads have given in `round` is what they take, each element from
/// where it belongs.
void checkRound(const LinearLayout &from, const LinearLayout &to,
                const ExchangeRounds &rounds, unsigned round) {
  std::map<Coordinates, Coordinates> room;
  llvm::SmallVector<unsigned> given = rounds.getGiven(round),
                              taken = rounds.getTaken(round);
  for (unsigned warp = 0; warp < kWarps; ++warp)
    for (unsigned lane = 0; lane < GpuTarget::kWarpSize; ++lane)
      for (auto [reg, whole] : llvm::enumerate(given))
        room[rounds.from.apply(reg, lane, warp)] =
            from.apply(whole, lane, warp);
  for (const auto &[place, element] : room)
    for (auto [coordinate, size] : llvm::zip_equal(place, rounds.shape))
      ASSERT_LT(coordinate, size);
  for (unsigned warp = 0; warp < kWarps; ++warp)
    for (unsigned lane = 0; lane < GpuTarget::kWarpSize; ++lane)
      for (auto [reg, whole] : llvm::enumerate(taken))
        ASSERT_EQ(room.at(rounds.to.apply(reg, lane, warp)),
                  to.apply(whole, lane, warp));
}

TEST(ExchangeRounds, EveryoneTakesWhatBelongsToIt) {
  std::mt19937 random(0);
  const Shape shapes[] = {{2048}, {64, 32}, {8, 32, 16}};
  unsigned most = 0;
  for (unsigned turn = 0; turn < 200; ++turn) {
    const Shape &shape = shapes[turn % 3];
    LinearLayout from = getRandom(shape, random), to = getRandom(shape, random);
    llvm::SmallVector<RoundBit> bits = findRoundBits(from, to);
    most = std::max<unsigned>(most, bits.size());
    for (size_t count = 0; count <= bits.size(); ++count) {
      ExchangeRounds rounds(shape, from, to,
                            llvm::ArrayRef(bits).take_front(count));
      EXPECT_EQ(rounds.count(), 1u << count);
      for (unsigned round = 0; round < rounds.count(); ++round)
        checkRound(from, to, rounds, round);
    }
  }
  EXPECT_GE(most, 2u);
}

} // namespace
