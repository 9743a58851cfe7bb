//===- Messages.cpp - What running kernels have to say --------------------===//

#include "Messages.h"

#include "Guard.h"

#include <thread>

using namespace mlir::triton_shared;

void mlir::triton_shared::failAssertion(const char *where, int64_t whereSize,
                                        const char *message,
                                        int64_t messageSize, int32_t x,
                                        int32_t y, int32_t z) {
  auto describe = [&](char *text, size_t capacity) {
    return tritonSharedDescribeFailure(text, capacity, where, whereSize,
                                       message, messageSize, x, y, z);
  };
  {
    // Gone before the jump.
    std::string text(describe(nullptr, 0), '\0');
    describe(text.data(), text.size() + 1);
    failureOfLaunch().record(std::move(text));
  }
  leavePrograms();
}

void mlir::triton_shared::yield() {
  leaveIfUnwanted();
  std::this_thread::yield();
}

void mlir::triton_shared::endLine() {
  tritonSharedPrintEnd();
  answerMissedCall();
}
