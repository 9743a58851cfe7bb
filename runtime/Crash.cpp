//===- Crash.cpp - Which kernel has crashed -------------------------------===//
//
// What runs in the handler of a signal takes no lock and no memory: the crashed
// code may hold both. Compiled code itself holds neither, but it may have been
// called by anything.
//
//===----------------------------------------------------------------------===//

#include "Crash.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iterator>
#include <ucontext.h>
#include <unistd.h>

using namespace mlir::triton_shared;

/// In the thread's own block from its start: to make room for it in the handler
/// would take memory.
[[gnu::tls_model(
    "initial-exec")]] static thread_local const RunningPrograms *running =
    nullptr;

CrashScope::CrashScope(const RunningPrograms *programs) : outer(running) {
  running = programs;
}

CrashScope::~CrashScope() { running = outer; }

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

namespace {

/// A text of limited length.
class Text {
public:
  Text &operator<<(const char *word) { return append(word, std::strlen(word)); }

  Text &operator<<(uint64_t number) { return appendNumber(number, 10); }

  Text &appendAddress(uint64_t address) {
    *this << "0x";
    return appendNumber(address, 16);
  }

  void writeTo(int file) const {
    for (size_t done = 0; done < size;) {
      ssize_t written = write(file, text + done, size - done);
      if (written <= 0)
        return;
      done += written;
    }
  }

private:
  Text &append(const char *word, size_t length) {
    length = std::min(length, sizeof text - size);
    std::memcpy(text + size, word, length);
    size += length;
    return *this;
  }

  Text &appendNumber(uint64_t number, unsigned base) {
    char digits[20];
    char *first = std::end(digits);
    do
      *--first = "0123456789abcdef"[number % base];
    while (number /= base);
    return append(first, std::end(digits) - first);
  }

  char text[1024];
  size_t size = 0;
};

const char *describeSignal(int signal) {
  switch (signal) {
  case SIGSEGV:
    return "bad address";
  case SIGBUS:
    return "address without memory behind it";
  case SIGFPE:
    return "arithmetic error";
  default:
    return "instruction that this CPU does not have";
  }
}

/// What the access was to do, if the CPU says so.
const char *describeAccess([[maybe_unused]] void *context) {
#if defined(__x86_64__)
  constexpr greg_t kPageFault = 14, kIsWrite = 2;
  const greg_t *registers =
      static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
  if (registers[REG_TRAPNO] == kPageFault)
    return registers[REG_ERR] & kIsWrite ? "writes to " : "reads from ";
#endif
  return "accesses ";
}

/// Where `address` lies, seen from the nearest pointer among the arguments.
/// Addresses go round: what lies before a null pointer is near to it.
void describeAddress(Text &text, const RunningPrograms &programs,
                     uint64_t address) {
  const KernelDescription &kernel = *programs.kernel;
  const char *nearest = nullptr;
  uint64_t distance = UINT64_MAX;
  bool isBehind = false, isNull = false;
  for (size_t i = 0; i < kernel.count; ++i) {
    if (!kernel.pointers[i])
      continue;
    uint64_t base;
    std::memcpy(&base, programs.args[i], sizeof base);
    uint64_t away = std::min(base - address, address - base);
    if (away >= distance)
      continue;
    nearest = kernel.pointers[i];
    distance = away;
    isBehind = away == address - base;
    isNull = base == 0;
  }
  text.appendAddress(address);
  if (nearest)
    text << ", " << distance << " bytes " << (isBehind ? "behind" : "before")
         << " where argument '" << nearest << "' points"
         << (isNull ? ", which is null" : "");
}

void report(int signal, const siginfo_t &info, void *context,
            const RunningPrograms &programs) {
  uint64_t number = programs.program;
  uint64_t x = std::max(programs.gridX, 1u), y = std::max(programs.gridY, 1u);
  Text text;
  text << "triton-shared: " << describeSignal(signal) << " in kernel '"
       << programs.kernel->name << "', program (" << number % x << ", "
       << number / x % y << ", " << number / x / y << ")";
  if (info.si_code <= 0) {
    // Whoever has sent the signal on knows the address.
  } else if (signal == SIGSEGV && info.si_code == SI_KERNEL) {
    text << ", which accesses an address that no memory has";
  } else if (signal == SIGSEGV || signal == SIGBUS) {
    text << ", which " << describeAccess(context);
    describeAddress(text, programs, reinterpret_cast<uint64_t>(info.si_addr));
  }
  text << "\n";
  if (signal == SIGSEGV || signal == SIGBUS)
    text << "triton-shared: note: compare the offsets and the mask of the "
            "kernel's accesses with the sizes of its tensors\n";
  text.writeTo(STDERR_FILENO);
}

//===----------------------------------------------------------------------===//
// The handler
//===----------------------------------------------------------------------===//

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

/// What handled them before.
struct sigaction handlersBefore[std::size(kSignals)];

/// What would have happened without our handler. A fault happens again when
/// this returns, then with nobody to handle it.
void passOn(int signal, siginfo_t *info, void *context) {
  size_t which = std::find(kSignals, std::end(kSignals), signal) - kSignals;
  const struct sigaction &before = handlersBefore[which];
  bool wasSent = info->si_code <= 0;
  if (before.sa_flags & SA_SIGINFO)
    return before.sa_sigaction(signal, info, context);
  if (before.sa_handler == SIG_IGN && wasSent)
    return;
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    return before.sa_handler(signal);
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  if (wasSent)
    raise(signal);
}

void handle(int signal, siginfo_t *info, void *context) {
  // A crash of what follows is none of the kernel.
  const RunningPrograms *programs = running;
  running = nullptr;
  // Sent by this thread: by a handler that was called before, of the crash.
  bool isHandedOn = info->si_code == SI_TKILL;
  if (programs && (info->si_code > 0 || isHandedOn))
    report(signal, *info, context, *programs);
  passOn(signal, info, context);
  running = programs;
}

bool install() {
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction action = {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    // The handler may be called before the old one is known otherwise.
    sigaction(kSignals[i], nullptr, &handlersBefore[i]);
    sigaction(kSignals[i], &action, nullptr);
  }
  return true;
}

} // namespace

void mlir::triton_shared::reportCrashes() {
  static const bool isInstalled = install();
  (void)isInstalled;
}
