//===- Messages.h - What running kernels have to say ------------*- C++ -*-===//
//
// Prints and assertions of kernels. The functions with C names are called by
// compiled code (see lib/Conversion/StructuredToMemRef/Messages.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_MESSAGES_H
#define TRITON_SHARED_RUNTIME_MESSAGES_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace mlir::triton_shared {

/// The first assertion that failed in a launch, seen by all its threads.
class LaunchFailure {
public:
  bool happened() const { return isSet.load(std::memory_order_relaxed); }
  void record(std::string message);
  /// Call when all programs have ended.
  const std::string &message() const { return text; }

private:
  std::atomic<bool> isSet{false};
  std::mutex mutex;
  std::string text;
};

/// Runs compiled code. A failing assertion in it is recorded in `failure` and
/// leaves `programs` at once.
void runGuarded(LaunchFailure &failure, llvm::function_ref<void()> programs);

/// What compiled code calls as `malloc` and `free`: a program that is left at
/// once gives back what it holds.
void *allocateBuffer(size_t bytes);
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

/// Called in every round of a loop that waits for another program: lets other
/// threads run, and ends the program if the launch has failed, because what it
/// waits for may never come.
void tritonSharedYield();

/// A clock that never goes back.
int64_t tritonSharedClockNanoseconds();

/// The logical CPU that the program runs on just now, from 0 on.
int64_t tritonSharedProcessorNumber();

/// More than any number of one.
int64_t tritonSharedProcessorCount();
}

#endif // TRITON_SHARED_RUNTIME_MESSAGES_H
