//===- Guard.h - Programs that end early ------------------------*- C++ -*-===//
//
// Compiled code is left at once by an assertion that fails in it, and at any of
// its instructions when another program of its launch has failed or the
// application no longer wants the launch. It asks nobody about that: the watch
// calls its thread (see Watch.h).
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_GUARD_H
#define TRITON_SHARED_RUNTIME_GUARD_H

#include "Interruption.h"
#include "Loader.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

namespace mlir::triton_shared {

/// Why a launch ends early, seen by all its threads: the first assertion that
/// failed, or that it was interrupted.
class LaunchFailure {
public:
  bool happened() const { return isSet.load(std::memory_order_relaxed); }
  void record(std::string message);
  void recordInterruption() { record("the launch was interrupted"); }
  /// Call when all programs have ended.
  const std::string &message() const { return text; }

private:
  std::atomic<bool> isSet{false};
  std::mutex mutex;
  std::string text;
};

/// Runs compiled code. What fails in it is recorded in
/// `failure`; that, an interruption, and a failure that another thread records
/// leave `programs` at once. `interruption` is null but on the launching
/// thread.
void runGuarded(LaunchFailure &failure, Interruption *interruption,
                const CompiledCode &code, llvm::function_ref<void()> programs);

// For functions that compiled code calls:

/// The failure of the launch that this thread runs programs of.
LaunchFailure &failureOfLaunch();

/// Leaves the programs that this thread runs.
[[noreturn]] void leavePrograms();

/// Does that if the launch is to end. For what waits for other programs.
void leaveIfUnwanted();

/// The same if the thread was called while it was not in compiled code: at the
/// end of all that code may spend its time with.
void answerMissedCall();

/// What compiled code calls as `malloc`, `calloc` (which LLVM makes of `malloc`
/// and zeros) and `free`: a program that is left at once gives back what it
/// holds.
void *allocateBuffer(size_t bytes);
void *allocateZeros(size_t count, size_t bytes);
void freeBuffer(void *buffer);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_GUARD_H
