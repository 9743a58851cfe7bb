//===- Messages.h - What running kernels have to say ------------*- C++ -*-===//
//
// Prints and assertions of kernels. The functions with C names are called by
// compiled code (see lib/Conversion/StructuredToMemRef/Messages.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_MESSAGES_H
#define TRITON_SHARED_RUNTIME_MESSAGES_H

#include <cstdint>
#include <string>

namespace mlir::triton_shared {

/// While it lives, the calling thread prints other lines: a program that has
/// been interrupted in the middle of one keeps it.
class SeparateLine {
public:
  SeparateLine();
  ~SeparateLine();
  SeparateLine(const SeparateLine &) = delete;
  SeparateLine &operator=(const SeparateLine &) = delete;

private:
  std::string text;
  bool isInIndices;
};

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

/// Called in every round of a loop that waits for another program, which may
/// never come: lets other threads run, and ends the program if its launch is to
/// end.
void tritonSharedYield();

/// A clock that never goes back.
int64_t tritonSharedClockNanoseconds();

/// The logical CPU that the program runs on just now, from 0 on.
int64_t tritonSharedProcessorNumber();

/// More than any number of one.
int64_t tritonSharedProcessorCount();
}

#endif // TRITON_SHARED_RUNTIME_MESSAGES_H
