//===- Grid.cpp - All programs of a launch --------------------------------===//
//
// The grid is one range of numbers, x fastest, cut into tasks for oneTBB. No
// result depends on who runs which task: programs share nothing but memory.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <pthread.h>
#include <string>
#include <vector>

using namespace mlir::triton_shared;

namespace {

/// Programs in one task at most, so that a failure is noticed soon.
constexpr int64_t kLargestTask = 256;

/// What is expected to be left of a launch after its first program, for other
/// threads to take part: waking them takes some microseconds.
constexpr std::chrono::microseconds kWorthSharing{20};

/// Programs that run side by side at most, each on a thread of its own: as many
/// as the largest GPUs hold, and as many as start in a few milliseconds.
constexpr int64_t kMostResident = 4096;
constexpr int64_t kMostResidentUnasked = 512;

/// A bijection of `[0, size)` that looks random: a Feistel network over the
/// next even number of bits, repeated until the result is in range.
class Permutation {
public:
  Permutation(uint64_t size, uint64_t seed)
      : size(size), seed(seed),
        halfBits((llvm::Log2_64_Ceil(std::max<uint64_t>(size, 2)) + 1) / 2) {}

  uint64_t operator()(uint64_t number) const {
    do
      number = shuffle(number);
    while (number >= size);
    return number;
  }

private:
  uint64_t shuffle(uint64_t number) const {
    uint64_t mask = (uint64_t(1) << halfBits) - 1;
    uint64_t left = number >> halfBits, right = number & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      uint64_t next = left ^ (mix(right + (round << 32) + seed) & mask);
      left = right;
      right = next;
    }
    return left << halfBits | right;
  }

  /// The finaliser of splitmix64.
  static uint64_t mix(uint64_t bits) {
    bits += 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
  }

  uint64_t size, seed;
  unsigned halfBits;
};

/// The arena with this many threads, but no more than there are cores. Never
/// destroyed: it is cheap to keep, and slow to make.
tbb::task_arena &arenaFor(uint32_t threads) {
  uint32_t cores = tbb::info::default_concurrency();
  threads = threads ? std::min(threads, cores) : cores;
  static std::mutex mutex;
  static auto *arenas =
      new std::map<uint32_t, std::unique_ptr<tbb::task_arena>>();
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<tbb::task_arena> &arena = (*arenas)[threads];
  if (!arena)
    arena = std::make_unique<tbb::task_arena>(static_cast<int>(threads));
  return *arena;
}

/// True in a process that was forked off one that had launched. The threads of
/// oneTBB stayed behind, in the middle of whatever they did: waiting for them
/// could take for ever.
bool isForkedOff() {
  static std::atomic<bool> forkedOff{false};
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forkedOff = true; });
  return registered == 0 && forkedOff;
}

/// One launch: which programs a range of task numbers stands for.
class Launch {
public:
  Launch(KernelEntry entry, void *const *args, const GridLaunch &launch,
         LaunchFailure &failure)
      : entry(entry), args(args), launch(launch), failure(failure),
        count(int64_t(launch.x) * launch.y * launch.z),
        permutation(count, launch.seed) {}

  void run() const {
    bool isRequired = launch.residency == Residency::Required;
    if (isRequired && count > kMostResident)
      return failure.record(
          "a grid of " + std::to_string(count) +
          " programs cannot run side by side, as launch_cooperative_grid asks: "
          "launch " +
          std::to_string(kMostResident) + " programs at most");
    // Whoever wants one thread wants one program after the other.
    bool isPreferred = launch.residency == Residency::Preferred &&
                       launch.threads != 1 && count <= kMostResidentUnasked;
    if (count > 1 && (isRequired || isPreferred))
      return runSideBySide();
    if (isForkedOff() || count < 2 || launch.threads == 1)
      return runSerially(0);
    // Other orders are there to find mistakes: they always have threads.
    int64_t done = 0;
    if (launch.order == GridOrder::Forward) {
      done = 1;
      if (timeFirst() * (count - 1) < kWorthSharing)
        return runSerially(done);
    }
    tbb::task_arena &arena = arenaFor(launch.threads);
    int64_t tasks = 4 * int64_t(arena.max_concurrency());
    int64_t grain = std::clamp<int64_t>(count / tasks, 1, kLargestTask);
    arena.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<int64_t>(done, count, grain),
          [&](const tbb::blocked_range<int64_t> &range) {
            for (int64_t first = range.begin(); first < range.end();
                 first += kLargestTask)
              runRange(first, std::min(range.end(), first + kLargestTask));
          });
    });
  }

private:
  /// Runs the first program; returns how long it took.
  std::chrono::steady_clock::duration timeFirst() const {
    auto start = std::chrono::steady_clock::now();
    runRange(0, 1);
    return std::chrono::steady_clock::now() - start;
  }

  /// Runs every program on its own thread. None starts before all threads are
  /// there: it might wait for one that never comes.
  void runSideBySide() const {
    std::promise<bool> start;
    std::shared_future<bool> started = start.get_future();
    std::vector<Resident> residents;
    residents.reserve(count);
    int problem = 0;
    for (int64_t number = 0; number < count && !problem; ++number) {
      residents.push_back({this, number, started, {}});
      problem = pthread_create(&residents.back().thread, nullptr, &runResident,
                               &residents.back());
      if (problem)
        residents.pop_back();
    }
    if (problem)
      failure.record("cannot run " + std::to_string(count) +
                     " programs side by side: " + std::strerror(problem));
    start.set_value(!problem);
    for (Resident &resident : residents)
      pthread_join(resident.thread, nullptr);
  }

  /// A program that has a thread of its own.
  struct Resident {
    const Launch *launch;
    int64_t number;
    std::shared_future<bool> started;
    pthread_t thread;
  };

  static void *runResident(void *argument) {
    auto *self = static_cast<Resident *>(argument);
    if (self->started.get())
      self->launch->runRange(self->number, self->number + 1);
    return nullptr;
  }

  /// Runs all programs from number `start` on.
  void runSerially(int64_t start) const {
    for (int64_t first = start; first < count; first += kLargestTask)
      runRange(first, std::min(count, first + kLargestTask));
  }

  void runRange(int64_t first, int64_t end) const {
    if (failure.happened())
      return;
    runGuarded(failure, [&] {
      if (launch.order == GridOrder::Forward)
        return runPrograms(first, end - first);
      for (int64_t number = first; number < end; ++number)
        runPrograms(launch.order == GridOrder::Reverse ? count - 1 - number
                                                       : permutation(number),
                    1);
    });
  }

  void runPrograms(int64_t first, int64_t number) const {
    entry(args, launch.x, launch.y, launch.z, first, number);
  }

  KernelEntry entry;
  void *const *args;
  const GridLaunch &launch;
  LaunchFailure &failure;
  int64_t count;
  Permutation permutation;
};

} // namespace

void mlir::triton_shared::runGrid(KernelEntry entry, void *const *args,
                                  const GridLaunch &launch,
                                  LaunchFailure &failure) {
  Launch(entry, args, launch, failure).run();
}
