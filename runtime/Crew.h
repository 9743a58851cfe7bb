//===- Crew.h - Threads that stay awake between launches --------*- C++ -*-===//

#ifndef TRITON_SHARED_RUNTIME_CREW_H
#define TRITON_SHARED_RUNTIME_CREW_H

#include "Processors.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace mlir::triton_shared {

/// The threads of oneTBB that take part in launches. One that has nothing to do
/// any more looks for a moment whether there is another launch before oneTBB
/// gets it back and puts it to sleep: waking it takes longer than a short
/// launch.
class Crew {
public:
  using Task = std::function<void()>;

  /// That of launches with this many threads, the launching one included, but
  /// no more than there are cores. Never destroyed: it is cheap to keep, and
  /// slow to make.
  static Crew &of(uint32_t threads);

  /// The launching thread included.
  int64_t size() const { return threads; }

  /// Has all but the launching thread call `task`, some of them perhaps late.
  /// Returns how many of them it had to wake.
  int64_t call(Task task);

  /// How many threads wait for a launch now.
  int64_t awake() const;

private:
  explicit Crew(uint32_t threads);

  /// What is to do, and where those who do it are.
  struct Job {
    Task task;
    Processors processors;
  };

  /// A thread that waits; it is on its stack.
  struct Seat {
    std::shared_ptr<Job> job;
    std::atomic<bool> isTaken{false};
  };

  void work(std::shared_ptr<Job> job);
  std::shared_ptr<Job> waitForJob();

  struct Arena;
  std::unique_ptr<Arena> arena;
  int64_t threads;
  mutable std::mutex mutex;
  std::vector<Seat *> waiting;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CREW_H
