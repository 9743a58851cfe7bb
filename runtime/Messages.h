//===- Messages.h - What running kernels have to say ------------*- C++ -*-===//
//
// Prints and assertions of kernels. The functions with C names are called by
// compiled code (see lib/Conversion/StructuredToMemRef/Messages.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_MESSAGES_H
#define TRITON_SHARED_RUNTIME_MESSAGES_H

#include "Interruption.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>
#include <cstdint>
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

/// Runs compiled code. A failing assertion in it is recorded in `failure` and
/// leaves `programs` at once; an interruption does the same at the next loop
/// that asks for it. `interruption` is null but on the launching thread.
void runGuarded(LaunchFailure &failure, Interruption *interruption,
                llvm::function_ref<void()> programs);

/// What compiled code calls as `malloc`, `calloc` (which LLVM makes of `malloc`
/// and zeros) and `free`: a program that is left at once gives back what it
/// holds.
void *allocateBuffer(size_t bytes);
void *allocateZeros(size_t count, size_t bytes);
void freeBuffer(void *buffer);

} // namespace mlir::triton_shared

extern "C" {
/// One line of output: `Begin`, perhaps `Indices` and an `Index` per dimension,
/// `Text`, perhaps a value, `End`.
void tritonSharedPrintBegin(int32_t x, int32_t y, int32_t z);
void tritonSharedPrintIndices();
void tritonSharedPrintIndex(int64_t index, int32_t digits);
void tritonSharedPrintText(const char *text, int64_t size);
/// `bits` says how many digits a hexadecimal number has; 0 for as few as it
/// can.
void tritonSharedPrintInteger(int64_t value, int32_t bits, int32_t isSigned,
                              int32_t hex);
void tritonSharedPrintFloat(double value);
void tritonSharedPrintEnd();

/// Ends the program. `where` is `file:line`, or empty.
void tritonSharedAssertFailed(const char *where, int64_t whereSize,
                              const char *message, int64_t messageSize,
                              int32_t x, int32_t y, int32_t z);

/// Called now and then by loops that take long: ends the program if the launch
/// has failed or is interrupted.
void tritonSharedPoll();

/// Called in every round of a loop that waits for another program: lets other
/// threads run, and does what `tritonSharedPoll` does, because what it waits
/// for may never come.
void tritonSharedYield();

/// A clock that never goes back.
int64_t tritonSharedClockNanoseconds();

/// The logical CPU that the program runs on just now, from 0 on.
int64_t tritonSharedProcessorNumber();

/// More than any number of one.
int64_t tritonSharedProcessorCount();
}

#endif // TRITON_SHARED_RUNTIME_MESSAGES_H
