//===- Watch.h - Who looks after programs that run for long -----*- C++ -*-===//
//
// A thread inside compiled code sees nothing of the world. One thread of the
// runtime, the watch, looks every now and then at those that run programs, and
// calls one that has to hear something by a signal. Who is not called pays
// nothing, and who begins to run programs a few stores; the watch sleeps while
// nobody launches.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_WATCH_H
#define TRITON_SHARED_RUNTIME_WATCH_H

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace mlir::triton_shared {

/// What happens on a thread that is called, in the handler of the signal, with
/// the context that the signal has interrupted.
using Visit = void (*)(void *context);

/// A thread that runs programs, as the watch sees it.
class Runner {
public:
  Runner();
  ~Runner();
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  /// Between these two, the thread may be called: after a while again and again
  /// if `asks`, and after a failure.
  void begin(bool asks, Visit visit) {
    isAsking.store(asks, std::memory_order_relaxed);
    turn();
    if (isAsleep.load(std::memory_order_relaxed))
      wake(visit);
  }
  void end() { turn(); }

  /// For the thread itself, before it looks at what it may have been called
  /// for: it need not be called again for what happened up to now.
  void answer();

  /// Has all threads called that run programs now.
  static void announceFailure();

private:
  friend class Watch;

  static std::atomic<bool> isAsleep;
  static void wake(Visit visit);

  /// Written by the thread itself only.
  void turn() {
    turns.store(turns.load(std::memory_order_relaxed) + 1,
                std::memory_order_release);
  }

  const pthread_t thread;
  /// How often the thread has begun or ended to run programs: odd while it
  /// runs some.
  std::atomic<uint64_t> turns{0};
  std::atomic<bool> isAsking{false};
  /// Set by the watch, until the thread answers.
  std::atomic<bool> isCalled{false};
  /// The failures that the thread has looked after.
  std::atomic<uint64_t> heard{0};
  /// For the watch only: what `turns` was at its last round.
  uint64_t seen = 0;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_WATCH_H
