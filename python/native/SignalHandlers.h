//===- SignalHandlers.h - Who handles signals -------------------*- C++ -*-===//

#ifndef TRITON_SHARED_PYTHON_SIGNALHANDLERS_H
#define TRITON_SHARED_PYTHON_SIGNALHANDLERS_H

#include <array>
#include <csignal>

namespace triton_shared_python {

/// The handlers of all signals at the time it is made, to be put back. Triton's
/// library puts LLVM's in the place of the application's when its passes run.
class SignalHandlers {
public:
  SignalHandlers() {
    for (int signal = 1; signal < kCount; ++signal)
      isKnown[signal] = sigaction(signal, nullptr, &actions[signal]) == 0;
  }

  void restore() const {
    for (int signal = 1; signal < kCount; ++signal)
      if (isKnown[signal])
        sigaction(signal, &actions[signal], nullptr);
  }

private:
  /// Signals from 32 on are the C library's, or nobody's by default.
  static constexpr int kCount = 32;

  std::array<struct sigaction, kCount> actions;
  std::array<bool, kCount> isKnown{};
};

} // namespace triton_shared_python

#endif // TRITON_SHARED_PYTHON_SIGNALHANDLERS_H
