//===- CubinWriter.cpp - From PTX to machine code -------------------------===//
//
// NVIDIA's assembler is a program, so its input and output are files.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Target/PtxWriter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// A file that is gone when this is.
struct ScratchFile {
  explicit ScratchFile(StringRef suffix) {
    error = llvm::sys::fs::createTemporaryFile("triton-shared", suffix, path);
    if (!error)
      remover.setFile(path);
  }

  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

  SmallString<128> path;
  std::error_code error;

private:
  llvm::FileRemover remover;
};

/// What a program prints, or nothing if it does not run.
std::string readOutput(StringRef program, StringRef argument) {
  ScratchFile output("txt");
  std::optional<StringRef> redirects[] = {std::nullopt, output.path.str(),
                                          output.path.str()};
  if (output.error ||
      llvm::sys::ExecuteAndWait(program, {program, argument},
                                /*Env=*/std::nullopt, redirects))
    return "";
  return output.read();
}

/// Says so if the ptxas that failed does not know the target: its help lists
/// those that it does.
bool reportTooOld(ModuleOp module, const CompileTarget &target,
                  const CudaTools &tools) {
  std::string help = readOutput(tools.ptxas, "--help");
  auto lists = [&](StringRef arch) {
    return StringRef(help).contains(("'sm_" + arch + "'").str());
  };
  // A list without the target of every GPU that is used is no list.
  if (!lists("80") || lists(target.cudaArch))
    return false;
  InFlightDiagnostic error = module.emitError("cannot assemble PTX: the ptxas ")
                             << "at '" << tools.ptxas << "' is too old for sm_"
                             << target.cudaArch;
  error.attachNote() << "a newer CUDA Toolkit holds one that knows it; name it "
                        "by TRITON_PTXAS_PATH";
  return true;
}

/// A run of ptxas.
struct Assembly {
  int status = 0;
  std::string cubin, log, problem;

  /// Bytes of a thread that go to memory, as in "20 bytes spill stores"; a
  /// module may have several kernels.
  unsigned countSpilled() const {
    return readMost("([0-9]+) bytes spill stores");
  }
  unsigned countRegisters() const {
    return readMost("Used ([0-9]+) registers");
  }

private:
  unsigned readMost(StringRef form) const {
    const llvm::Regex pattern(form);
    unsigned most = 0, number;
    SmallVector<StringRef, 2> found;
    for (StringRef rest = log; pattern.match(rest, &found);
         rest = rest.drop_front(found[0].end() - rest.begin()))
      if (!found[1].getAsInteger(10, number))
        most = std::max(most, number);
    return most;
  }
};

/// Nothing after an error.
std::optional<Assembly> assemble(ModuleOp module, StringRef ptx,
                                 const CompileTarget &target,
                                 const CudaTools &tools) {
  ScratchFile input("ptx"), output("cubin"), messages("log");
  for (const ScratchFile *file : {&input, &output, &messages})
    if (file->error) {
      SmallString<128> folder;
      llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
      InFlightDiagnostic error = module.emitError("cannot make a temporary ")
                                 << "file in '" << folder
                                 << "': " << file->error.message();
      error.attachNote() << "ptxas reads files; point TMPDIR at a folder that "
                            "can be written";
      return std::nullopt;
    }
  {
    std::error_code error;
    llvm::raw_fd_ostream stream(input.path, error);
    stream << ptx;
  }
  std::string arch = "--gpu-name=sm_" + target.cudaArch;
  SmallVector<StringRef> arguments = {tools.ptxas, "-v", arch,
                                      input.path,  "-o", output.path};
  if (target.isPrecise || !target.fusesMultiplyAdd)
    arguments.push_back("--fmad=false");
  std::optional<StringRef> redirects[] = {std::nullopt, messages.path.str(),
                                          messages.path.str()};
  Assembly done;
  done.status = llvm::sys::ExecuteAndWait(tools.ptxas, arguments,
                                          /*Env=*/std::nullopt, redirects,
                                          /*SecondsToWait=*/0,
                                          /*MemoryLimit=*/0, &done.problem);
  done.log = messages.read();
  done.cubin = output.read();
  return done;
}

/// `ptx` without limits of registers.
std::string dropLimits(std::string ptx) {
  const llvm::Regex limit("\\.maxnreg [0-9]+\n");
  while (limit.match(ptx))
    ptx = limit.sub("", ptx);
  return ptx;
}

/// Registers at which ptxas may stop for the sake of more warps, whatever that
/// sends to memory.
constexpr unsigned kFewRegisters = 64;

/// `ptx` that says that one block may take all registers.
std::string allowAllRegisters(std::string ptx) {
  if (StringRef(ptx).contains(".minnctapersm"))
    return ptx;
  return llvm::Regex("\\.reqntid [^\n]*\n").sub("\\0.minnctapersm 1\n", ptx);
}

/// What may be tried instead of `ptx`, which `done` was made of and spills.
SmallVector<std::string, 2> getLessTight(StringRef ptx, const Assembly &done) {
  SmallVector<std::string, 2> others{dropLimits(ptx.str())};
  if (done.countRegisters() <= kFewRegisters)
    others.push_back(allowAllRegisters(others.front()));
  llvm::erase(others, ptx);
  return others;
}

/// The line of `ptx` that `log` has the first error of; empty if none.
StringRef findRefusedLine(StringRef ptx, StringRef log) {
  SmallVector<StringRef, 2> found;
  unsigned number;
  if (!llvm::Regex(", line ([0-9]+); error").match(log, &found) ||
      found[1].getAsInteger(10, number))
    return "";
  StringRef line;
  while (number-- > 0)
    std::tie(line, ptx) = ptx.split('\n');
  return line.trim();
}

/// The assembly of the kernel that `line` of the PTX is of, as far as its words
/// tell; null if it is of the compiler's own making.
Operation *findAssembly(ModuleOp module, StringRef line) {
  Operation *found = nullptr;
  module.walk([&](LLVM::InlineAsmOp op) {
    SmallVector<StringRef> lines;
    op.getAsmString().split(lines, '\n');
    for (StringRef one : lines) {
      StringRef words = one.take_until([](char c) { return c == '$'; }).trim();
      if (!words.empty() && line.starts_with(words))
        found = op;
    }
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

} // namespace

std::optional<std::string>
triton_shared::assembleCubin(ModuleOp module, std::string &ptx,
                             const CompileTarget &target,
                             const CudaTools &tools, std::string &log) {
  if (tools.ptxas.empty() || !llvm::sys::fs::can_execute(tools.ptxas)) {
    InFlightDiagnostic error = module.emitError("cannot assemble PTX: there "
                                                "is no ptxas at '")
                               << tools.ptxas << "'";
    error.attachNote()
        << "Triton's wheel and the CUDA Toolkit hold one; name it "
           "by TRITON_PTXAS_PATH";
    return std::nullopt;
  }
  std::optional<Assembly> done = assemble(module, ptx, target, tools);
  if (!done)
    return std::nullopt;
  if (done->countSpilled() && !target.maxRegisters)
    for (std::string &other : getLessTight(ptx, *done)) {
      std::optional<Assembly> again = assemble(module, other, target, tools);
      if (!again || again->status ||
          again->countSpilled() >= done->countSpilled())
        continue;
      ptx = std::move(other);
      done = std::move(again);
    }
  log = std::move(done->log);
  if (done->status != 0) {
    if (reportTooOld(module, target, tools))
      return std::nullopt;
    Operation *assembly = findAssembly(module, findRefusedLine(ptx, log));
    InFlightDiagnostic error =
        emitError(assembly ? assembly->getLoc() : module.getLoc())
        << "ptxas fails with status " << done->status << ": " << done->problem
        << log;
    if (assembly)
      error.attachNote() << "inline assembly without a meaning on other "
                            "machines goes to ptxas as it is: see PTX ISA for "
                            "what this GPU has";
    return std::nullopt;
  }
  return std::move(done->cubin);
}
