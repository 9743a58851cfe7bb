//===- Processors.h - Where the threads of a launch run ---------*- C++ -*-===//

#ifndef TRITON_SHARED_RUNTIME_PROCESSORS_H
#define TRITON_SHARED_RUNTIME_PROCESSORS_H

#include <array>
#include <atomic>
#include <cstdint>

namespace mlir::triton_shared {

/// The processors that threads of one launch run on, each on one of its own as
/// far as there are so many.
///
/// A system that wakes a thread may leave it on the processor of the thread
/// that has woken it, though another one has nothing to do: Linux does on
/// virtual machines, whose idle processors look as if the host had taken them
/// away. It takes some milliseconds to notice.
class Processors {
public:
  /// Notes that of the calling thread. If another thread of the launch is there
  /// already, moves the calling one to a processor that it may use and nobody
  /// has; which ones it may use later stays as it is. Does nothing where that
  /// is not known.
  void take();

private:
  /// True if nobody had processor `number`.
  bool mark(unsigned number);
  bool isMarked(unsigned number) const;

  static constexpr unsigned kMost = 1024;
  std::array<std::atomic<uint64_t>, kMost / 64> taken{};
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_PROCESSORS_H
