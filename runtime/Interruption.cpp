//===- Interruption.cpp - Launches that are to end early ------------------===//

#include "Interruption.h"

#include <algorithm>
#include <ctime>

using namespace mlir::triton_shared;

/// Between two questions, at least: people do not notice it, and a question
/// may wait for Python's lock.
static constexpr std::chrono::milliseconds kPatience{50};

/// The parts of the time of which questions may take one. Python hands its lock
/// over after 5 ms; who waited longer was held up by something else.
static constexpr int kShare = 100;
static constexpr std::chrono::milliseconds kMostPatience{kShare * 5};

/// Exact to some milliseconds, and much cheaper than an exact one.
static std::chrono::nanoseconds readCoarseClock() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::nanoseconds(time.tv_nsec);
}

bool Interruption::isTime() {
  if (!question)
    return false;
  Time now = readCoarseClock();
  if (next == Time(0))
    next = now + kPatience;
  return now >= next;
}

bool Interruption::isWanted() {
  Time start = readCoarseClock();
  bool answer = question(context);
  Time end = readCoarseClock();
  next =
      end + std::clamp<Time>(kShare * (end - start), kPatience, kMostPatience);
  return answer;
}
