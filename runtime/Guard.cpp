//===- Guard.cpp - Programs that end early --------------------------------===//
//
// A thread that the watch calls while it is in compiled code, or in a function
// of libm that this calls, holds no lock and is in the middle of nothing but
// its own work. So the handler of the signal may do all that a function may do
// that the code calls: ask the application, which runs Python, or leave the
// code for good. Anywhere else, in the C library or in the runtime, it may do
// nothing, and the thread is called again soon.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"

#include "Crash.h"
#include "MachineContext.h"
#include "Watch.h"
#include "kernel/kernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <csetjmp>
#include <csignal>
#include <cstdlib>

using namespace mlir::triton_shared;

// What handlers of signals use lies in the thread's own block from its start:
// to make room for it there would take memory.
#define IN_THREAD_BLOCK [[gnu::tls_model("initial-exec")]] static thread_local

namespace {

/// Where programs on this thread go that end early.
struct Escape {
  std::jmp_buf place;
  LaunchFailure *failure;
  Interruption *interruption;
  const CompiledCode *code;
  /// Which the C library may change for a moment, and a handler of signals
  /// begins without.
  FloatingPointMode mode;
  /// What the program holds; the youngest last.
  llvm::SmallVector<void *, 32> buffers;
};

} // namespace

IN_THREAD_BLOCK Escape *currentEscape = nullptr;

/// This thread, once it has run programs.
IN_THREAD_BLOCK Runner *currentRunner = nullptr;

/// Set where the thread was called outside of compiled code.
IN_THREAD_BLOCK volatile std::sig_atomic_t hasMissedCall = 0;

static void visitProgram(void *context);

static Runner &runnerOfThread() {
  if (!currentRunner) {
    thread_local Runner runner;
    currentRunner = &runner;
  }
  return *currentRunner;
}

void LaunchFailure::record(std::string message) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (happened())
      return;
    text = std::move(message);
    isSet.store(true, std::memory_order_relaxed);
  }
  Runner::announceFailure();
}

/// A function of its own: what a jump comes back to has no variables that
/// changed in between.
static void runTo(Escape &escape, llvm::function_ref<void()> programs) {
  // Compiled code has no destructors that a jump could leave out.
  if (setjmp(escape.place) == 0)
    programs();
}

void mlir::triton_shared::runGuarded(LaunchFailure &failure,
                                     Interruption *interruption,
                                     const CompiledCode &code,
                                     llvm::function_ref<void()> programs) {
  Escape escape;
  escape.failure = &failure;
  escape.interruption = interruption;
  escape.code = &code;
  escape.mode = FloatingPointMode::get();
  Escape *outer = currentEscape;
  currentEscape = &escape;
  Runner &runner = runnerOfThread();
  runner.begin(interruption && interruption->canAsk(), visitProgram);
  runTo(escape, programs);
  runner.end();
  for (void *buffer : escape.buffers)
    std::free(buffer);
  currentEscape = outer;
}

//===----------------------------------------------------------------------===//
// Leaving programs
//===----------------------------------------------------------------------===//

LaunchFailure &mlir::triton_shared::failureOfLaunch() {
  return *currentEscape->failure;
}

void mlir::triton_shared::leavePrograms() {
  currentEscape->mode.restore();
  std::longjmp(currentEscape->place, 1);
}

namespace {
/// While it lives, programs that this thread runs have other buffers and print
/// other lines: one that was interrupted keeps its own.
class OtherPrograms {
public:
  OtherPrograms()
      : line(std::exchange(*tritonSharedLineOfThread(), {})),
        scratch(tritonSharedExchangeScratch(nullptr)) {}
  ~OtherPrograms() {
    std::free(tritonSharedExchangeScratch(scratch));
    std::free(std::exchange(*tritonSharedLineOfThread(), line).text);
  }
  OtherPrograms(const OtherPrograms &) = delete;
  OtherPrograms &operator=(const OtherPrograms &) = delete;

private:
  TritonSharedLine line;
  void *scratch;
};
} // namespace

/// Asks the application in the middle of a program. It may launch kernels
/// itself on this thread, which have their own of everything.
static bool isInterrupted(Interruption &interruption) {
  OtherPrograms others;
  CrashScope noProgram(nullptr);
  currentRunner->end();
  bool answer = interruption.isWanted();
  currentRunner->begin(/*asks=*/true, visitProgram);
  return answer;
}

/// For a thread in compiled code, or in what that has called.
static bool hasToLeave() {
  currentRunner->answer();
  LaunchFailure &failure = *currentEscape->failure;
  Interruption *interruption = currentEscape->interruption;
  if (interruption && interruption->isTime() && !failure.happened() &&
      isInterrupted(*interruption))
    failure.recordInterruption();
  return failure.happened();
}

/// Called by the watch, in the handler of a signal.
static void visitProgram(void *context) {
  MachineContext machine(context);
  if (!currentEscape ||
      !currentEscape->code->contains(machine.getProgramCounter()) ||
      !machine.isOnItsStack()) {
    hasMissedCall = 1;
    return;
  }
  currentEscape->mode.restore();
  if (hasToLeave())
    machine.goOnWith(leavePrograms);
}

void mlir::triton_shared::leaveIfUnwanted() {
  hasMissedCall = 0;
  if (hasToLeave())
    leavePrograms();
}

void mlir::triton_shared::answerMissedCall() {
  if (hasMissedCall)
    leaveIfUnwanted();
}

//===----------------------------------------------------------------------===//
// Memory of programs
//===----------------------------------------------------------------------===//

static void *hold(void *buffer) {
  currentEscape->buffers.push_back(buffer);
  answerMissedCall();
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
  answerMissedCall();
}
