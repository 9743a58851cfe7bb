//===- Watch.cpp - Who looks after programs that run for long -------------===//
//
// The signal is SIGURG: by default it does nothing, debuggers pass it on
// without a word, and hardly any program uses it. It belongs to who handles it:
// if that is not our handler, nobody is called.
//
//===----------------------------------------------------------------------===//

#include "Watch.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <mutex>
#include <semaphore.h>
#include <unistd.h>
#include <vector>

using namespace mlir::triton_shared;

namespace {

constexpr int kSignal = SIGURG;

/// From one round of the watch to the next. Who ran the same programs at the
/// last one has been running them for at least as long.
constexpr std::chrono::milliseconds kRound{50};

/// From one call to the next while a thread does not answer: it was not in
/// compiled code, but in the C library, say.
constexpr std::chrono::milliseconds kRetry{1};

/// Rounds without any programs, until the watch sleeps.
constexpr int kPatience = 20;

/// Tells our signals from those of others.
const char kTag = 0;

/// Failures since the process began.
std::atomic<uint64_t> failures{0};

/// What the handler calls.
std::atomic<Visit> visitor{nullptr};

void handle(int, siginfo_t *info, void *context) {
  if (info->si_code != SI_QUEUE || info->si_value.sival_ptr != &kTag)
    return;
  int before = errno;
  visitor.load()(context);
  errno = before;
}

/// Whether the signal is ours, or nobody's so far.
bool ownSignal() {
  struct sigaction now;
  sigaction(kSignal, nullptr, &now);
  if (now.sa_flags & SA_SIGINFO)
    return now.sa_sigaction == handle;
  if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)
    return false;
  // On the thread's own stack: what is called may be all of Python. It may also
  // launch kernels, which are to be interrupted in turn.
  struct sigaction ours = {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  sigemptyset(&ours.sa_mask);
  return sigaction(kSignal, &ours, nullptr) == 0;
}

} // namespace

namespace mlir::triton_shared {

/// There is one, and it stays: threads may outlive static objects.
class Watch {
public:
  static Watch &get() {
    static auto *watch = new Watch();
    return *watch;
  }

  void add(Runner *runner) {
    std::lock_guard<std::mutex> lock(mutex);
    runners.push_back(runner);
  }

  void remove(Runner *runner) {
    std::lock_guard<std::mutex> lock(mutex);
    runners.erase(std::find(runners.begin(), runners.end(), runner));
  }

  void wake() {
    std::lock_guard<std::mutex> lock(mutex);
    // Without a thread for it, launches are asked about between programs only,
    // until there is one.
    if (!isStarted)
      isStarted = start();
    Runner::isAsleep = !isStarted;
    ring();
  }

  /// Ends the pause of the watch.
  void ring() { sem_post(&bell); }

private:
  /// CLOCK_MONOTONIC.
  using Clock = std::chrono::steady_clock;

  Watch() {
    sem_init(&bell, /*pshared=*/0, 0);
    pthread_atfork([] { get().mutex.lock(); }, [] { get().mutex.unlock(); },
                   [] { get().startAfresh(); });
  }

  /// In a process that was forked off, only the thread that did it is left.
  void startAfresh() {
    runners.erase(std::remove_if(runners.begin(), runners.end(),
                                 [](Runner *runner) {
                                   return !pthread_equal(runner->thread,
                                                         pthread_self());
                                 }),
                  runners.end());
    sem_init(&bell, /*pshared=*/0, 0);
    isStarted = false;
    Runner::isAsleep = true;
    mutex.unlock();
  }

  /// The application's signals are for its own threads.
  bool start() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    auto body = [](void *) -> void * { get().run(); };
    bool hasThread = pthread_create(&thread, nullptr, body, nullptr) == 0;
    if (hasThread) {
      pthread_setname_np(thread, "kernel-watch");
      pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return hasThread;
  }

  [[noreturn]] void run() {
    int idle = 0;
    for (Clock::time_point next = Clock::now();;) {
      Clock::time_point now = Clock::now();
      bool isRound = now >= next;
      if (isRound)
        next = now + kRound;
      State state = look(isRound);
      if (!state.isIdle)
        idle = 0;
      else if (isRound)
        ++idle;
      if (!waitForWork(idle))
        pauseUntil(state.isCalling ? std::min(now + kRetry, next) : next);
    }
  }

  /// Sleeps if nobody has run programs for long. Who begins to after the watch
  /// has said that it sleeps rings; who had begun just before is seen one round
  /// later.
  bool waitForWork(int idle) {
    if (idle <= kPatience)
      Runner::isAsleep = idle == kPatience;
    if (idle <= kPatience || !Runner::isAsleep)
      return false;
    while (sem_wait(&bell) != 0)
      ;
    return true;
  }

  void pauseUntil(Clock::time_point time) {
    auto nanoseconds = time.time_since_epoch();
    auto seconds = std::chrono::floor<std::chrono::seconds>(nanoseconds);
    timespec deadline;
    deadline.tv_sec = seconds.count();
    deadline.tv_nsec = std::chrono::nanoseconds(nanoseconds - seconds).count();
    sem_clockwait(&bell, CLOCK_MONOTONIC, &deadline);
  }

  struct State {
    bool isIdle = true, isCalling = false;
  };

  /// Calls those that have run the same programs since the last round, if they
  /// are to ask; all that have not looked after a failure; and those that were
  /// called and have not answered.
  State look(bool isRound) {
    State state;
    std::lock_guard<std::mutex> lock(mutex);
    for (Runner *runner : runners) {
      uint64_t turns = runner->turns.load(std::memory_order_acquire);
      bool runs = turns & 1, isNew = turns != runner->seen;
      if (isRound)
        runner->seen = turns;
      if (runs || isNew)
        state.isIdle = false;
      bool isLate = isRound && !isNew && runner->isAsking;
      if (isLate || runner->heard < failures)
        runner->isCalled = true;
      if (!runs)
        runner->isCalled = false;
      if (runner->isCalled && call(*runner))
        state.isCalling = true;
    }
    return state;
  }

  /// The thread lives: it cannot be removed meanwhile.
  bool call(Runner &runner) {
    sigval value;
    value.sival_ptr = const_cast<char *>(&kTag);
    return ownSignal() && pthread_sigqueue(runner.thread, kSignal, value) == 0;
  }

  std::mutex mutex;
  std::vector<Runner *> runners;
  bool isStarted = false;
  sem_t bell;
};

} // namespace mlir::triton_shared

std::atomic<bool> Runner::isAsleep{true};

Runner::Runner() : thread(pthread_self()) { Watch::get().add(this); }

Runner::~Runner() { Watch::get().remove(this); }

void Runner::wake(Visit visit) {
  if (!isAsleep.exchange(false))
    return;
  visitor = visit;
  Watch::get().wake();
}

void Runner::answer() {
  heard.store(failures.load(std::memory_order_acquire),
              std::memory_order_relaxed);
  isCalled.store(false, std::memory_order_relaxed);
}

void Runner::announceFailure() {
  ++failures;
  Watch::get().ring();
}
