//===- Crash.h - Which kernel has crashed -----------------------*- C++ -*-===//
//
// A bad address ends the process, as in any machine code. Before it does, one
// line on the error output names the kernel, the program and the access.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_CRASH_H
#define TRITON_SHARED_RUNTIME_CRASH_H

#include <cstddef>
#include <cstdint>

namespace mlir::triton_shared {

/// What a report of a crash says of a kernel.
struct KernelDescription {
  const char *name;
  /// For each argument its name if it is a pointer, else null.
  const char *const *pointers;
  size_t count;
};

/// Programs that a thread runs, on its stack.
struct RunningPrograms {
  const KernelDescription *kernel;
  void *const *args;
  uint32_t gridX, gridY;
  /// Which one of them; compiled code writes it.
  int64_t program;
};

/// Tells who handles a crash of this thread what it was about.
class CrashScope {
public:
  explicit CrashScope(const RunningPrograms *programs);
  ~CrashScope();
  CrashScope(const CrashScope &) = delete;
  CrashScope &operator=(const CrashScope &) = delete;

private:
  const RunningPrograms *outer;
};

/// From now on, crashes inside of a `CrashScope` are reported; then whoever
/// handled the signal before gets it, or the process ends by it. Crashes of
/// anything else go there at once.
void reportCrashes();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CRASH_H
