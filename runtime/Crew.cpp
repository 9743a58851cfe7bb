//===- Crew.cpp - Threads that stay awake between launches ----------------===//
//
// A thread that waits sits in a list. Who launches takes it from there and
// gives it the task; who has waited long enough takes itself from there. Both
// happen under one lock, so that a task given is a task done.
//
//===----------------------------------------------------------------------===//

#include "Crew.h"

#include "llvm/Support/Compiler.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <thread>

using namespace mlir::triton_shared;

/// How long a thread waits for the next launch: about as long as it takes to
/// put it to sleep and to wake it, and what Python takes between two launches.
static constexpr std::chrono::microseconds kAwake{100};

/// Between what one thread has written and another one reads, where oneTBB
/// takes work from the one to the other: the sanitizer does not see its code.
static void markHandOver() {
  [[maybe_unused]] static char place;
  TsanHappensAfter(&place);
  TsanHappensBefore(&place);
}

struct Crew::Arena {
  tbb::task_arena arena;
};

Crew::Crew(uint32_t threads)
    : arena(new Arena{tbb::task_arena(static_cast<int>(threads))}),
      threads(arena->arena.max_concurrency()) {}

Crew &Crew::of(uint32_t threads) {
  uint32_t cores = tbb::info::default_concurrency();
  threads = threads ? std::min(threads, cores) : cores;
  static std::mutex mutex;
  static auto *crews = new std::map<uint32_t, std::unique_ptr<Crew>>();
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Crew> &crew = (*crews)[threads];
  if (!crew)
    crew.reset(new Crew(threads));
  return *crew;
}

int64_t Crew::call(Task task) {
  auto shared = std::make_shared<Job>();
  shared->task = std::move(task);
  shared->processors.take();
  int64_t others = threads - 1;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (; others && !waiting.empty(); --others) {
      Seat *seat = waiting.back();
      waiting.pop_back();
      seat->job = shared;
      seat->isTaken = true; // From here on, it may be gone.
    }
  }
  if (!others)
    return 0;
  markHandOver();
  arena->arena.enqueue([this, shared, others] {
    markHandOver();
    tbb::parallel_for(
        tbb::blocked_range<int64_t>(0, others, 1),
        [&](const tbb::blocked_range<int64_t> &) {
          markHandOver();
          work(shared);
        },
        tbb::simple_partitioner());
  });
  return others;
}

int64_t Crew::awake() const {
  std::lock_guard<std::mutex> lock(mutex);
  return static_cast<int64_t>(waiting.size());
}

void Crew::work(std::shared_ptr<Job> job) {
  do {
    job->processors.take();
    job->task();
    // It may hold what its launch wants back.
    job.reset();
  } while ((job = waitForJob()));
}

/// Null if there is none.
std::shared_ptr<Crew::Job> Crew::waitForJob() {
  Seat seat;
  {
    std::lock_guard<std::mutex> lock(mutex);
    waiting.push_back(&seat);
  }
  auto start = std::chrono::steady_clock::now();
  while (!seat.isTaken) {
    // Somebody else may have use for the core.
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() - start < kAwake)
      continue;
    std::lock_guard<std::mutex> lock(mutex);
    if (seat.isTaken)
      break;
    waiting.erase(std::find(waiting.begin(), waiting.end(), &seat));
    return nullptr;
  }
  return seat.job;
}
