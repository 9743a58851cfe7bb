//===- ProcessorsTest.cpp - Where the threads of a launch run -------------===//

#include "Processors.h"

#include "gtest/gtest.h"

#include <sched.h>
#include <thread>

using namespace mlir::triton_shared;

namespace {

cpu_set_t getAllowed() {
  cpu_set_t allowed;
  EXPECT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  return allowed;
}

/// Puts the calling thread on `number`, where it stays for a while though it
/// may use all of `allowed`.
void goTo(int number, cpu_set_t allowed) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(number, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  ASSERT_EQ(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
}

} // namespace

TEST(ProcessorsTest, AThreadLeavesTheProcessorThatAnotherOneHas) {
  cpu_set_t allowed = getAllowed();
  if (CPU_COUNT(&allowed) < 2)
    GTEST_SKIP() << "there is one processor";
  int first = sched_getcpu(), apart = 0;
  // The system may move a thread at any time: it does so rarely.
  for (int round = 0; round < 20; ++round)
    std::thread([&] {
      Processors processors;
      goTo(first, allowed);
      processors.take();
      goTo(first, allowed);
      processors.take();
      apart += sched_getcpu() != first;
      cpu_set_t after = getAllowed();
      EXPECT_TRUE(CPU_EQUAL(&after, &allowed));
    }).join();
  EXPECT_GT(apart, 10);
}

TEST(ProcessorsTest, WithoutAnotherProcessorAThreadStays) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    Processors processors;
    processors.take();
    processors.take();
    cpu_set_t after = getAllowed();
    EXPECT_TRUE(CPU_EQUAL(&after, &one));
  }).join();
}

TEST(ProcessorsTest, MoreThreadsThanProcessorsShareThem) {
  cpu_set_t allowed = getAllowed();
  Processors processors;
  for (int round = 0; round < 2 * CPU_COUNT(&allowed); ++round)
    std::thread([&] {
      processors.take();
      cpu_set_t after = getAllowed();
      EXPECT_TRUE(CPU_EQUAL(&after, &allowed));
    }).join();
}
