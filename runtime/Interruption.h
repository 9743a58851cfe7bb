//===- Interruption.h - Launches that are to end early ----------*- C++ -*-===//
//
// Whether the application still wants a launch is asked by the thread that
// launched it, now and then: that is where Python runs handlers of signals.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_INTERRUPTION_H
#define TRITON_SHARED_RUNTIME_INTERRUPTION_H

#include <chrono>

namespace mlir::triton_shared {

/// For the launching thread only.
class Interruption {
public:
  /// True if the launch is to end.
  using Question = bool (*)(void *context);

  /// Without a question, no launch is to end.
  Interruption(Question question, void *context)
      : question(question), context(context) {}

  bool canAsk() const { return question; }

  /// Whether to ask now: not in the first 50 ms, and then so rarely that
  /// answers take about a hundredth of the time, but every half second at
  /// least.
  bool isTime();

  /// Asks; there must be a question.
  bool isWanted();

private:
  using Time = std::chrono::nanoseconds;

  Question question;
  void *context;
  /// When to ask next; zero before the first call.
  Time next{0};
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_INTERRUPTION_H
