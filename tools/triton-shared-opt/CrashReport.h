//===- CrashReport.h - What a crash leaves behind ---------------*- C++ -*-===//
//
// A crash ends the tool with exit code 70 (EX_SOFTWARE) and keeps the input and
// the command line in a file. The compiler runs in a child process for that: a
// signal handler could not answer for what is left of a process that ran out of
// stack on a thread of MLIR's pool, or whose heap is damaged.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TOOLS_CRASHREPORT_H
#define TRITON_SHARED_TOOLS_CRASHREPORT_H

#include "mlir/Support/LLVM.h"

namespace mlir::triton_shared {

/// The switch that leaves it out: a debugger wants to see the crash itself.
inline constexpr StringRef kNoCrashReport = "no-crash-report";

constexpr int kCrashExitCode = 70;

class CrashReport {
public:
  CrashReport(int argc, char **argv) : command(argv, argv + argc) {}

  /// Goes on in a child process; the parent waits for it, ends as it ends, and
  /// reports if that was a crash. To be called before any thread is started.
  void goOnInChild();

  /// Tells the parent what is about to be compiled.
  void keepInput(StringRef name, StringRef contents);

private:
  [[noreturn]] void waitFor(int child);
  void report(int signal) const;
  std::string describeCommand(StringRef input, StringRef kept) const;

  ArrayRef<const char *> command;
  int sharedInput = -1; ///< A file without a name: `name`, a zero, `contents`.
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TOOLS_CRASHREPORT_H
