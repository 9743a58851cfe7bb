//===- CompileOptions.cpp - The words of one compilation ------------------===//

#include "CompileOptions.h"

#include "triton-shared/Target/CudaToolkit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

static std::string describeBadValue(StringRef name, StringRef value,
                                    StringRef known) {
  return ("unknown value '" + value + "' of option '" + name + "'; use " +
          known)
      .str();
}

static std::string parseLastPhase(StringRef value, CompileOptions &options) {
  options.toPhase = symbolizePhase(value);
  options.stopsAtPtx = value == kPtxPhase;
  options.wantsAssembly = value == kAssemblyPhase;
  if (options.toPhase || value == kObjectPhase || value == kPtxPhase ||
      value == kCubinPhase || value == kAssemblyPhase)
    return "";
  return describeBadValue("to-phase", value,
                          (listPhases() + ", obj, s, ptx or cubin").str());
}

/// What a word with a number says; null for other words.
static unsigned *findNumber(StringRef name, CompileTarget &target) {
  return llvm::StringSwitch<unsigned *>(name)
      .Case("num-warps", &target.numWarps)
      .Case("num-stages", &target.numStages)
      .Case("max-registers", &target.maxRegisters)
      .Case("ptx-version", &target.ptxVersion)
      .Default(nullptr);
}

/// What a word that is `true` or `false` says; null for other words.
static bool *findChoice(StringRef name, CompileTarget &target) {
  return llvm::StringSwitch<bool *>(name)
      .Case("precise", &target.isPrecise)
      .Case("fuse-multiply-add", &target.fusesMultiplyAdd)
      .Case("flush-denormals", &target.flushesDenormals)
      .Default(nullptr);
}

static std::string parseWord(StringRef name, StringRef value,
                             CompileOptions &options) {
  if (name == "mode") {
    options.target.cpuMode =
        value == "fast" ? CpuMode::Fast : CpuMode::Reference;
    return value == "reference" || value == "fast"
               ? ""
               : describeBadValue(name, value, "reference or fast");
  }
  if (name == "target") {
    std::string problem;
    std::optional<CompileTarget> target = parseTarget(value, problem);
    if (!target)
      return problem;
    // The other words may have come first.
    options.target.cudaArch = target->cudaArch;
    options.target.cpuName = target->cpuName;
    options.target.cpuFeatures = target->cpuFeatures;
    return "";
  }
  if (unsigned *number = findNumber(name, options.target))
    return value.getAsInteger(10, *number)
               ? describeBadValue(name, value, "a number")
               : "";
  if (name == "to-phase")
    return parseLastPhase(value, options);
  if (bool *choice = findChoice(name, options.target)) {
    *choice = value == "true";
    return value == "true" || value == "false"
               ? ""
               : describeBadValue(name, value, "true or false");
  }
  if (name == "from") {
    options.isLlvmIr = value == "llvm-ir";
    return value == "mlir" || value == "llvm-ir"
               ? ""
               : describeBadValue(name, value, "mlir or llvm-ir");
  }
  if (name == "keep") {
    options.keepsChanges |= value == kChangesArtefact;
    options.keepsTimes |= value == kTimesArtefact;
    return value == kChangesArtefact || value == kTimesArtefact
               ? ""
               : describeBadValue(name, value, "changes or times");
  }
  if (name == "explain") {
    options.explainsAccesses = true;
    return value == kAccessesArtefact
               ? ""
               : describeBadValue(name, value, kAccessesArtefact);
  }
  auto *path = llvm::StringSwitch<std::string *>(name)
                   .Case("dump-dir", &options.dumpFolder)
                   .Case("ptxas", &options.tools.ptxas)
                   .Case("libdevice", &options.tools.libdevice)
                   .Default(nullptr);
  if (!path)
    return ("unknown option '" + name +
            "'; use mode, target, num-warps, num-stages, max-registers, "
            "ptx-version, precise, fuse-multiply-add, flush-denormals, "
            "to-phase, ptxas, libdevice, dump-dir, from, keep or explain")
        .str();
  *path = value.str();
  return "";
}

std::string triton_shared::parseOptions(StringRef text,
                                        CompileOptions &options) {
  SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  for (StringRef word : words) {
    auto [name, value] = word.split('=');
    std::string problem = parseWord(name, value, options);
    if (!problem.empty())
      return problem;
  }
  if (options.target.isGpu() && options.tools.ptxas.empty())
    options.tools.ptxas = findPtxas();
  if (options.target.isGpu() && options.tools.libdevice.empty())
    options.tools.libdevice = findLibdevice(options.tools.ptxas);
  return "";
}
