//===- CudaToolkit.cpp - Where NVIDIA's tools are -------------------------===//

#include "triton-shared/Target/CudaToolkit.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir::triton_shared;
using llvm::StringRef;

static constexpr llvm::StringLiteral kLibdevice = "libdevice.10.bc";

/// The value of an environment variable, if it names an existing file.
static std::string findFileOf(StringRef variable) {
  std::optional<std::string> path = llvm::sys::Process::GetEnv(variable);
  return path && llvm::sys::fs::exists(*path) ? *path : "";
}

static std::string findBelow(StringRef folder,
                             std::initializer_list<StringRef> parts) {
  llvm::SmallString<128> path(folder);
  for (StringRef part : parts)
    llvm::sys::path::append(path, part);
  return llvm::sys::fs::exists(path) ? path.str().str() : "";
}

static std::string findInToolkit(std::initializer_list<StringRef> parts) {
  std::optional<std::string> home = llvm::sys::Process::GetEnv("CUDA_HOME");
  return home ? findBelow(*home, parts) : "";
}

std::string mlir::triton_shared::findPtxas() {
  std::string found = findFileOf("TRITON_PTXAS_PATH");
  if (found.empty())
    found = findInToolkit({"bin", "ptxas"});
  if (!found.empty())
    return found;
  llvm::ErrorOr<std::string> inPath = llvm::sys::findProgramByName("ptxas");
  return inPath ? *inPath : "";
}

std::string mlir::triton_shared::findLibdevice(const std::string &ptxas) {
  std::string found = findFileOf("TRITON_LIBDEVICE_PATH");
  if (found.empty())
    found = findInToolkit({"nvvm", "libdevice", kLibdevice});
  // `<root>/bin/ptxas`.
  StringRef root =
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(ptxas));
  if (found.empty() && !root.empty())
    found = findBelow(root, {"nvvm", "libdevice", kLibdevice});
  if (found.empty() && !root.empty())
    found = findBelow(root, {"lib", kLibdevice});
  return found;
}
