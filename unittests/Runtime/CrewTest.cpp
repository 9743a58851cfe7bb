//===- CrewTest.cpp - Threads that stay awake between launches ------------===//

#include "Crew.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace mlir::triton_shared;

namespace {

/// Waits until `isTrue`, or for a time in which it must have become so.
template <typename Condition> bool eventually(Condition isTrue) {
  auto start = std::chrono::steady_clock::now();
  while (!isTrue())
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(30))
      return false;
  return true;
}

} // namespace

TEST(CrewTest, EachTaskIsCalledOncePerThreadWhetherItWaitsOrSleeps) {
  Crew &crew = Crew::of(0);
  std::atomic<int64_t> calls{0};
  const int64_t rounds = 100;
  for (int64_t round = 0; round < rounds; ++round) {
    crew.call([&calls] { ++calls; });
    // Up to twice as long as threads stay awake: they are met while they
    // wait, while they leave and while they sleep.
    std::this_thread::sleep_for(std::chrono::microseconds(round % 200));
  }
  EXPECT_TRUE(eventually([&] { return calls == rounds * (crew.size() - 1); }));
  // Nobody comes a second time.
  ASSERT_TRUE(eventually([&] { return crew.awake() == 0; }));
  EXPECT_EQ(calls, rounds * (crew.size() - 1));
}

TEST(CrewTest, SeveralThreadsCallAtTheSameTime) {
  Crew &crew = Crew::of(0);
  std::atomic<int64_t> calls{0};
  const int64_t rounds = 50, callers = 4;
  std::vector<std::thread> threads;
  for (int64_t caller = 0; caller < callers; ++caller)
    threads.emplace_back([&] {
      for (int64_t round = 0; round < rounds; ++round)
        crew.call([&calls] { ++calls; });
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_TRUE(eventually(
      [&] { return calls == callers * rounds * (crew.size() - 1); }));
}

TEST(CrewTest, AThreadThatHasWorkedWaitsForAMomentOnly) {
  Crew &crew = Crew::of(0);
  if (crew.size() == 1)
    GTEST_SKIP() << "there is one core";
  // A thread may be kept from running for the whole time in which it waits.
  EXPECT_TRUE(eventually([&] {
    crew.call([] {});
    auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start <
           std::chrono::milliseconds(5))
      if (crew.awake() > 0)
        return true;
    return false;
  }));
  EXPECT_TRUE(eventually([&] { return crew.awake() == 0; }));
}

TEST(CrewTest, OneThreadHasNobodyToCall) {
  Crew &crew = Crew::of(1);
  EXPECT_EQ(crew.size(), 1);
  bool isCalled = false;
  crew.call([&] { isCalled = true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(isCalled);
}
