//===- Messages.cpp - What running kernels have to say --------------------===//

#include "Messages.h"

#include "Guard.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sched.h>
#include <thread>
#include <unistd.h>

using namespace mlir::triton_shared;

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

static std::string describeFailure(const char *where, int64_t whereSize,
                                   const char *message, int64_t messageSize,
                                   int32_t x, int32_t y, int32_t z) {
  std::string text(where, whereSize);
  if (!text.empty())
    text += ": ";
  text += "pid (" + std::to_string(x) + ", " + std::to_string(y) + ", " +
          std::to_string(z) + "): assertion failed";
  if (messageSize)
    text += ": " + std::string(message, messageSize);
  return text;
}

void tritonSharedAssertFailed(const char *where, int64_t whereSize,
                              const char *message, int64_t messageSize,
                              int32_t x, int32_t y, int32_t z) {
  failureOfLaunch().record(
      describeFailure(where, whereSize, message, messageSize, x, y, z));
  leavePrograms();
}

void tritonSharedYield() {
  leaveIfUnwanted();
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

SeparateLine::SeparateLine()
    : text(std::move(currentLine.text)), isInIndices(currentLine.isInIndices) {
  currentLine = Line();
}

SeparateLine::~SeparateLine() { currentLine = {std::move(text), isInIndices}; }

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
  answerMissedCall();
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
