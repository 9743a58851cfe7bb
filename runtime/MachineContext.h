//===- MachineContext.h - What a signal has interrupted ---------*- C++ -*-===//

#ifndef TRITON_SHARED_RUNTIME_MACHINECONTEXT_H
#define TRITON_SHARED_RUNTIME_MACHINECONTEXT_H

#include <cstdint>
#include <ucontext.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mlir::triton_shared {

/// How the calling thread computes: rounding, denormals, exceptions.
class FloatingPointMode {
public:
  static FloatingPointMode get() {
    FloatingPointMode mode;
#if defined(__x86_64__)
    mode.bits = _mm_getcsr();
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(mode.bits));
#endif
    return mode;
  }

  void restore() const {
#if defined(__x86_64__)
    _mm_setcsr(bits);
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" ::"r"(bits));
#endif
  }

private:
#if defined(__aarch64__)
  uint64_t bits;
#else
  unsigned bits = 0;
#endif
};

/// The state of a thread where a signal has interrupted it, which is also the
/// one that it goes on with when the handler returns.
class MachineContext {
public:
  explicit MachineContext(void *context)
      : machine(static_cast<ucontext_t *>(context)->uc_mcontext) {}

  /// The instruction that comes next; null on machines that nobody has taught
  /// this class.
  uintptr_t getProgramCounter() const {
#if defined(__x86_64__)
    return machine.gregs[REG_RIP];
#elif defined(__aarch64__)
    return machine.pc;
#else
    return 0;
#endif
  }

  /// True if the state lies on the stack that was interrupted, just below what
  /// is in use: the handler has been called at once, and not by another one
  /// with a copy, and not on a stack of its own.
  bool isOnItsStack() const {
    constexpr uintptr_t kLargestFrame = 1 << 16;
    return getStackPointer() - reinterpret_cast<uintptr_t>(&machine) <
           kLargestFrame;
  }

  /// Goes on with `function`, as if the interrupted code had called it. It must
  /// not return.
  void goOnWith(void (*function)()) {
    [[maybe_unused]] auto address = reinterpret_cast<uintptr_t>(function);
#if defined(__x86_64__)
    constexpr uintptr_t kRedZone = 128, kAlignment = 16;
    uintptr_t top = (getStackPointer() - kRedZone) & -kAlignment;
    machine.gregs[REG_RSP] = top - sizeof(void *);
    machine.gregs[REG_RIP] = address;
#elif defined(__aarch64__)
    machine.pc = address;
#endif
  }

private:
  uintptr_t getStackPointer() const {
#if defined(__x86_64__)
    return machine.gregs[REG_RSP];
#elif defined(__aarch64__)
    return machine.sp;
#else
    return 0;
#endif
  }

  mcontext_t &machine;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_MACHINECONTEXT_H
