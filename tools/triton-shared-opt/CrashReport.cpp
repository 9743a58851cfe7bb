//===- CrashReport.cpp - What a crash leaves behind -----------------------===//
//
// The parent's side: waiting, and writing the reproducer.
//
//===----------------------------------------------------------------------===//

#include "CrashReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::triton_shared;

/// What a deeply nested text may take: the parser recurses. The kernel leaves
/// this much room for the main stack whatever the limit was at the start.
static constexpr rlim_t kStackBytes = 120 << 20;

/// The child, for the handler below.
static volatile pid_t supervised = 0;

static void passOn(int signal) { kill(supervised, signal); }

static bool isCrash(int signal) {
  return llvm::is_contained(
      {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}, signal);
}

static void raiseStackLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= kStackBytes)
    return;
  limit.rlim_cur = std::min(kStackBytes, limit.rlim_max);
  setrlimit(RLIMIT_STACK, &limit); // Without it, texts may nest less deeply.
}

/// LLVM's stack trace asks its symbolizer through temporary files, and ends the
/// process in another way if there can be none.
static void symbolizeIfPossible() {
  SmallString<128> folder;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  if (!llvm::sys::fs::can_write(folder))
    setenv("LLVM_DISABLE_SYMBOLIZATION", "1", /*overwrite=*/1);
}

void CrashReport::goOnInChild() {
  raiseStackLimit();
  sharedInput = memfd_create("input", MFD_CLOEXEC);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child > 0)
    waitFor(child);
  if (child < 0)
    return; // No process to be had: compile here, without the report.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(kCrashExitCode);
  symbolizeIfPossible();
}

void CrashReport::keepInput(StringRef name, StringRef contents) {
  if (sharedInput < 0)
    return;
  llvm::raw_fd_ostream stream(sharedInput, /*shouldClose=*/false);
  stream << name << '\0' << contents;
  stream.flush();
  stream.clear_error(); // The report says so if the input is missing.
}

void CrashReport::waitFor(int child) {
  supervised = child;
  std::signal(SIGTERM, passOn);
  std::signal(SIGHUP, passOn);
  std::signal(SIGABRT, passOn); // Shows where a compilation hangs.
  // A terminal tells the child itself.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status))
    _exit(WEXITSTATUS(status));
  int signal = WTERMSIG(status);
  if (isCrash(signal)) {
    report(signal);
    _exit(kCrashExitCode);
  }
  // Killed from outside: this process looks the same to who did it.
  std::signal(signal, SIG_DFL);
  raise(signal);
  _exit(128 + signal);
}

//===----------------------------------------------------------------------===//
// The reproducer
//===----------------------------------------------------------------------===//

static std::string quoteForShell(StringRef word) {
  auto isPlain = [](char c) {
    return llvm::isAlnum(c) || StringRef("-_./=,:+@%").contains(c);
  };
  if (!word.empty() && llvm::all_of(word, isPlain))
    return word.str();
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The command line, with `kept` for the file it reads.
std::string CrashReport::describeCommand(StringRef input,
                                         StringRef kept) const {
  SmallVector<std::string> words;
  for (StringRef word : command)
    words.push_back(quoteForShell(word == input && word != "-" ? kept : word));
  if (input == "-")
    words.push_back("< " + quoteForShell(kept));
  return llvm::join(words, " ");
}

/// Writes to a new file; its name, or nothing.
static std::string writeTemporary(StringRef suffix, StringRef contents) {
  int file;
  SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("triton-shared-crash", suffix, file,
                                         path))
    return "";
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
  stream << contents;
  stream.close();
  if (!stream.has_error())
    return path.str().str();
  stream.clear_error();
  return "";
}

/// Text is followed by the command as a comment, which moves no line number;
/// bytecode has the command in a file of its own.
void CrashReport::report(int signal) const {
  llvm::raw_ostream &log = llvm::errs();
  log << "triton-shared-opt: error: the compiler crashed: " << strsignal(signal)
      << " (signal " << signal << ")\n";
  auto shared = llvm::MemoryBuffer::getOpenFile(
      sharedInput, "input", /*FileSize=*/-1, /*RequiresNullTerminator=*/false);
  if (!shared || (*shared)->getBuffer().empty()) {
    log << "triton-shared-opt: note: it had not read its input yet; repeat "
           "with: "
        << describeCommand("", "") << "\n";
    return;
  }
  auto [name, input] = (*shared)->getBuffer().split('\0');
  bool isBytecode = input.starts_with("ML\xefR");
  std::string contents = input.str();
  if (!isBytecode)
    contents += "\n// triton-shared-opt crashed on this text; the command was\n"
                "//   " +
                describeCommand("", "") + "\n";
  std::string kept = writeTemporary(isBytecode ? "mlirbc" : "mlir", contents);
  if (kept.empty()) {
    log << "triton-shared-opt: note: the input could not be kept; set TMPDIR "
           "to a folder that can be written\n";
    return;
  }
  std::string repeat = describeCommand(name, kept);
  if (isBytecode) {
    std::error_code error;
    llvm::raw_fd_ostream(kept + ".command", error)
        << describeCommand("", "") << "\n";
  }
  log << "triton-shared-opt: note: the input and the command line are kept in '"
      << kept << (isBytecode ? "' and '" + kept + ".command" : "") << "'\n"
      << "triton-shared-opt: note: repeat with: " << repeat << "\n"
      << "triton-shared-opt: note: please report it with that file; if the "
         "stack trace above ends in libMLIR, the input is at fault too\n";
}
