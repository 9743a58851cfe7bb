//===- Messages.cpp - What running kernels have to say --------------------===//

#include "Messages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <sched.h>
#include <thread>
#include <unistd.h>

using namespace mlir::triton_shared;

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

namespace {

/// Where programs on this thread go that end early.
struct Escape {
  std::jmp_buf place;
  LaunchFailure *failure;
  Interruption *interruption;
  /// What the program holds; the youngest last.
  llvm::SmallVector<void *, 32> buffers;
};

thread_local Escape *currentEscape = nullptr;

std::string describeFailure(const char *where, int64_t whereSize,
                            const char *message, int64_t messageSize, int32_t x,
                            int32_t y, int32_t z) {
  std::string text(where, whereSize);
  if (!text.empty())
    text += ": ";
  text += "pid (" + std::to_string(x) + ", " + std::to_string(y) + ", " +
          std::to_string(z) + "): assertion failed";
  if (messageSize)
    text += ": " + std::string(message, messageSize);
  return text;
}

/// A function of its own: what a jump comes back to has no variables that
/// changed in between.
void runTo(Escape &escape, llvm::function_ref<void()> programs) {
  // Compiled code has no destructors that a jump could leave out.
  if (setjmp(escape.place) == 0)
    programs();
}

} // namespace

void LaunchFailure::record(std::string message) {
  std::lock_guard<std::mutex> lock(mutex);
  if (happened())
    return;
  text = std::move(message);
  isSet.store(true, std::memory_order_relaxed);
}

void mlir::triton_shared::runGuarded(LaunchFailure &failure,
                                     Interruption *interruption,
                                     llvm::function_ref<void()> programs) {
  Escape escape;
  escape.failure = &failure;
  escape.interruption = interruption;
  Escape *outer = currentEscape;
  currentEscape = &escape;
  runTo(escape, programs);
  for (void *buffer : escape.buffers)
    std::free(buffer);
  currentEscape = outer;
}

static void *hold(void *buffer) {
  currentEscape->buffers.push_back(buffer);
  return buffer;
}

void *mlir::triton_shared::allocateBuffer(size_t bytes) {
  return hold(std::malloc(bytes));
}

void *mlir::triton_shared::allocateZeros(size_t count, size_t bytes) {
  return hold(std::calloc(count, bytes));
}

void mlir::triton_shared::freeBuffer(void *buffer) {
  llvm::SmallVectorImpl<void *> &held = currentEscape->buffers;
  for (void *&other : llvm::reverse(held))
    if (other == buffer) {
      other = held.back();
      held.pop_back();
      break;
    }
  std::free(buffer);
}

void tritonSharedAssertFailed(const char *where, int64_t whereSize,
                              const char *message, int64_t messageSize,
                              int32_t x, int32_t y, int32_t z) {
  currentEscape->failure->record(
      describeFailure(where, whereSize, message, messageSize, x, y, z));
  std::longjmp(currentEscape->place, 1);
}

void tritonSharedPoll() {
  LaunchFailure &failure = *currentEscape->failure;
  Interruption *interruption = currentEscape->interruption;
  if (!failure.happened() && interruption && interruption->isWanted())
    failure.recordInterruption();
  if (failure.happened())
    std::longjmp(currentEscape->place, 1);
}

void tritonSharedYield() {
  tritonSharedPoll();
  std::this_thread::yield();
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

namespace {

/// The line that this thread is writing; it goes out in one piece.
struct Line {
  std::string text;
  bool isInIndices = false;
};

thread_local Line currentLine;

template <typename... Values>
void append(const char *format, Values... values) {
  char buffer[512];
  int size = std::snprintf(buffer, sizeof buffer, format, values...);
  currentLine.text.append(buffer, size);
}

} // namespace

void tritonSharedPrintBegin(int32_t x, int32_t y, int32_t z) {
  currentLine = Line();
  append("pid (%d, %d, %d)", x, y, z);
}

void tritonSharedPrintIndices() {
  currentLine.isInIndices = true;
  currentLine.text += " idx (";
}

void tritonSharedPrintIndex(int64_t index, int32_t digits) {
  bool isFirst = currentLine.text.back() == '(';
  append(isFirst ? "%*lld" : ", %*lld", digits, static_cast<long long>(index));
}

void tritonSharedPrintText(const char *text, int64_t size) {
  if (currentLine.isInIndices)
    currentLine.text += ')';
  currentLine.isInIndices = false;
  currentLine.text.append(text, size);
}

void tritonSharedPrintInteger(int64_t value, int32_t bits, int32_t isSigned,
                              int32_t hex) {
  if (hex) {
    uint64_t shown = static_cast<uint64_t>(value);
    if (bits > 0 && bits < 64)
      shown &= (uint64_t(1) << bits) - 1;
    append("0x%0*llx", (bits + 3) / 4, static_cast<unsigned long long>(shown));
  } else if (isSigned) {
    append("%lld", static_cast<long long>(value));
  } else {
    append("%llu", static_cast<unsigned long long>(value));
  }
}

void tritonSharedPrintFloat(double value) {
  // The sign of a NaN is an accident of how it was computed.
  append("%f",
         std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
}

void tritonSharedPrintEnd() {
  currentLine.text += '\n';
  std::fwrite(currentLine.text.data(), 1, currentLine.text.size(), stdout);
  std::fflush(stdout);
}

int64_t tritonSharedClockNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t tritonSharedProcessorNumber() { return std::max(0, sched_getcpu()); }

int64_t tritonSharedProcessorCount() {
  return std::max(1L, sysconf(_SC_NPROCESSORS_CONF));
}
