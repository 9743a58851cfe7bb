//===- Grid.cpp - All programs of a launch --------------------------------===//
//
// The grid is one range of numbers, x fastest. The launching thread and those
// of oneTBB take pieces of it until none is left. No result depends on who runs
// which piece: programs share nothing but memory.
//
// The launching thread never waits inside of oneTBB: it has to ask, now and
// then, whether the application still wants the launch.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include "Crew.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

using namespace mlir::triton_shared;

namespace {

using Duration = std::chrono::steady_clock::duration;

/// Programs in one piece at most, and what they may take if all are like the
/// first, so that a failure or an interruption is noticed soon.
constexpr int64_t kLargestPiece = 256;
constexpr std::chrono::milliseconds kLongestPiece{10};

/// A piece is what is left, divided by the threads and by this: the first ones
/// are large, so that there are few, and nobody waits long for the last one.
constexpr int64_t kPieces = 4;

/// What is expected to be left of a launch after its first program, for other
/// threads to take part: waking them takes some microseconds.
constexpr std::chrono::microseconds kWorthSharing{20};

/// What is expected to be left for each thread, for the launching one to let
/// those run first that have just been woken: one of them may be on its
/// processor, and moves to another one, which takes about as long.
constexpr std::chrono::microseconds kWorthMoving{300};

/// How long the launching thread looks for the end of the others' last pieces
/// before it sleeps: waking it takes about as long.
constexpr std::chrono::microseconds kWorthWatching{20};

/// How long it sleeps before it asks whether to go on.
constexpr std::chrono::milliseconds kPatience{50};

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

/// True in a process that was forked off one that had launched. The threads of
/// oneTBB stayed behind, in the middle of whatever they did: waiting for them
/// could take for ever.
bool isForkedOff() {
  static std::atomic<bool> forkedOff{false};
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forkedOff = true; });
  return registered == 0 && forkedOff;
}

/// Programs that have not ended.
class Countdown {
public:
  explicit Countdown(int64_t count) : left(count) {}

  void finish(int64_t count) {
    if (left.fetch_sub(count) != count)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    isOver.notify_all();
  }

  /// Returns when all have ended; calls `ask` meanwhile.
  void wait(llvm::function_ref<void()> ask) {
    auto start = std::chrono::steady_clock::now();
    while (left && std::chrono::steady_clock::now() - start < kWorthWatching)
      std::this_thread::yield();
    std::unique_lock<std::mutex> lock(mutex);
    while (!isOver.wait_for(lock, kPatience, [&] { return left == 0; })) {
      lock.unlock();
      ask();
      lock.lock();
    }
  }

private:
  std::atomic<int64_t> left;
  std::mutex mutex;
  std::condition_variable isOver;
};

/// What threads share of a launch. It may outlive it: a thread may come when
/// everything is done.
class Work {
public:
  Work(int64_t start, int64_t end, int64_t threads, int64_t largestPiece)
      : next(start), end(end), threads(threads), largestPiece(largestPiece),
        countdown(end - start) {}

  /// Calls `run` with pieces of the work until none is left. As long as `run`
  /// is called, the work is not done.
  void takePart(llvm::function_ref<void(int64_t first, int64_t end)> run) {
    int64_t first = next;
    while (first < end) {
      int64_t size = std::clamp<int64_t>((end - first) / (kPieces * threads), 1,
                                         largestPiece);
      if (!next.compare_exchange_weak(first, first + size))
        continue;
      run(first, first + size);
      countdown.finish(size);
      first = next;
    }
  }

  void wait(llvm::function_ref<void()> ask) { countdown.wait(ask); }

private:
  std::atomic<int64_t> next;
  const int64_t end, threads, largestPiece;
  Countdown countdown;
};

/// One launch: which programs a range of numbers stands for, and who runs them.
class Launch {
public:
  Launch(const LoadedObject &object, void *const *args,
         const GridLaunch &launch, LaunchFailure &failure)
      : entry(object.entry()), code(object.code()), args(args), launch(launch),
        failure(failure), interruption(launch.isInterrupted, launch.context),
        count(int64_t(launch.x) * launch.y * launch.z),
        permutation(count, launch.seed) {}

  void run() {
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
    int64_t done = 0;
    Duration left{0};
    // Other orders are there to find mistakes: they always have threads.
    if (launch.order == GridOrder::Forward && count > 1) {
      Duration first = timeFirst();
      done = 1;
      if (first > kLongestPiece / kLargestPiece)
        largestPiece = std::max<int64_t>(1, kLongestPiece / first);
      left = first * (count - 1);
      if (left < kWorthSharing)
        return runSerially(done);
    }
    if (isForkedOff() || count < 2 || launch.threads == 1)
      return runSerially(done);
    share(done, left);
  }

private:
  /// Runs the first program; returns how long it took.
  Duration timeFirst() {
    auto start = std::chrono::steady_clock::now();
    runRange(0, 1, &interruption);
    return std::chrono::steady_clock::now() - start;
  }

  /// Runs all programs from number `start` on with the threads of oneTBB;
  /// `left` is what one would take for them, as far as that is known.
  void share(int64_t start, Duration left) {
    Crew &crew = Crew::of(launch.threads);
    if (crew.size() == 1)
      return runSerially(start);
    auto work = std::make_shared<Work>(start, count, crew.size(), largestPiece);
    // The others reach for this launch only as long as its work is not done.
    int64_t woken = crew.call([this, work] {
      work->takePart([&](int64_t first, int64_t end) {
        runRange(first, end, /*ours=*/nullptr);
      });
    });
    if (woken && left > kWorthMoving * crew.size())
      std::this_thread::yield();
    work->takePart([&](int64_t first, int64_t end) {
      runRange(first, end, &interruption);
      askWhetherToGoOn();
    });
    work->wait([&] { askWhetherToGoOn(); });
  }

  /// Runs every program on its own thread. None starts before all threads are
  /// there: it might wait for one that never comes.
  void runSideBySide() {
    std::promise<bool> start;
    std::shared_future<bool> started = start.get_future();
    Countdown countdown(count);
    std::vector<Resident> residents;
    residents.reserve(count);
    int problem = 0;
    for (int64_t number = 0; number < count && !problem; ++number) {
      residents.push_back({this, &countdown, number, started, {}});
      problem = pthread_create(&residents.back().thread, nullptr, &runResident,
                               &residents.back());
      if (problem)
        residents.pop_back();
    }
    if (problem)
      failure.record("cannot run " + std::to_string(count) +
                     " programs side by side: " + std::strerror(problem));
    start.set_value(!problem);
    countdown.finish(count - static_cast<int64_t>(residents.size()));
    countdown.wait([&] { askWhetherToGoOn(); });
    for (Resident &resident : residents)
      pthread_join(resident.thread, nullptr);
  }

  /// A program that has a thread of its own.
  struct Resident {
    Launch *launch;
    Countdown *countdown;
    int64_t number;
    std::shared_future<bool> started;
    pthread_t thread;
  };

  static void *runResident(void *argument) {
    auto *self = static_cast<Resident *>(argument);
    if (self->started.get())
      self->launch->runRange(self->number, self->number + 1, /*ours=*/nullptr);
    self->countdown->finish(1);
    return nullptr;
  }

  /// Runs all programs from number `start` on.
  void runSerially(int64_t start) {
    for (int64_t first = start; first < count; first += largestPiece) {
      if (first > 0)
        askWhetherToGoOn();
      runRange(first, std::min(count, first + largestPiece), &interruption);
    }
  }

  /// For the launching thread, between programs.
  void askWhetherToGoOn() {
    if (interruption.isTime() && !failure.happened() && interruption.isWanted())
      failure.recordInterruption();
  }

  /// Runs programs; `ours` is null but on the launching thread.
  void runRange(int64_t first, int64_t end, Interruption *ours) {
    if (failure.happened())
      return;
    RunningPrograms running{launch.kernel, args, launch.x, launch.y, first};
    CrashScope scope(launch.kernel ? &running : nullptr);
    runGuarded(failure, ours, code, [&] {
      if (launch.order == GridOrder::Forward)
        return runPrograms(first, end - first, running);
      for (int64_t number = first; number < end; ++number)
        runPrograms(launch.order == GridOrder::Reverse ? count - 1 - number
                                                       : permutation(number),
                    1, running);
    });
  }

  void runPrograms(int64_t first, int64_t number, RunningPrograms &running) {
    entry(args, launch.x, launch.y, launch.z, first, number, &running.program);
  }

  KernelEntry entry;
  const CompiledCode &code;
  void *const *args;
  const GridLaunch &launch;
  LaunchFailure &failure;
  Interruption interruption;
  int64_t count;
  int64_t largestPiece = kLargestPiece;
  Permutation permutation;
};

} // namespace

void mlir::triton_shared::runGrid(const LoadedObject &object, void *const *args,
                                  const GridLaunch &launch,
                                  LaunchFailure &failure) {
  if (launch.kernel)
    reportCrashes();
  Launch(object, args, launch, failure).run();
}
