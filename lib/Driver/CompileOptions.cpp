//===- CompileOptions.cpp - What one compilation is asked for -------------===//

#include "triton-shared/Driver/CompileOptions.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::triton_shared;

Phase CompileOptions::getLastPhase() const {
  // The text of LLVM IR comes with the code that is made of it.
  if (toPhase && *toPhase != Phase::Llir)
    return *toPhase;
  return target.isGpu() ? Phase::Cubin : Phase::Object;
}

/// The values of a word, for an error; empty if `isKnown`.
static std::string expect(bool isKnown, const Twine &known) {
  return isKnown ? "" : known.str();
}

/// What may be said about the compilation besides the target and its options.
/// Each reads a value, and gives what is known instead.
static std::string readLastPhase(StringRef value, CompileOptions &options) {
  options.toPhase = symbolizePhase(value);
  options.wantsAssembly = value == kAssemblyArtefact;
  return expect(options.toPhase || options.wantsAssembly,
                listPhases() + " or " + kAssemblyArtefact.str());
}

static std::string readSource(StringRef value, CompileOptions &options) {
  options.isLlvmIr = value == "llvm-ir";
  return expect(options.isLlvmIr || value == "mlir", "mlir or llvm-ir");
}

static std::string readKept(StringRef value, CompileOptions &options) {
  options.keepsChanges |= value == kChangesArtefact;
  options.keepsTimes |= value == kTimesArtefact;
  options.keepsPasses |= value == kPassesArtefact;
  options.keepsPlaces |= value == kPlacesArtefact;
  options.keepsLines |= value == kLines;
  return expect(
      llvm::is_contained({StringRef(kChangesArtefact),
                          StringRef(kTimesArtefact), StringRef(kPassesArtefact),
                          StringRef(kPlacesArtefact), StringRef(kLines)},
                         value),
      "changes, times, passes, places or lines");
}

static std::string readExplained(StringRef value, CompileOptions &options) {
  options.explainsAccesses = value == kAccessesArtefact;
  options.countsCost = value == kCostArtefact;
  return expect(options.explainsAccesses || options.countsCost,
                kAccessesArtefact + " or " + kCostArtefact.str());
}

/// Numbers in braces: `launch={n=5000 program.x=4}`.
static std::string readLaunch(StringRef value, CompileOptions &options) {
  bool isList = value.consume_front("{") && value.consume_back("}");
  SmallVector<StringRef> pairs;
  value.split(pairs, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef pair : pairs) {
    auto [name, number] = pair.split('=');
    isList &= !number.getAsInteger(10, options.launch[name]);
  }
  return expect(isList, "{n=5000 program.x=4}");
}

template <std::string CompileOptions::*member>
static std::string readText(StringRef value, CompileOptions &options) {
  options.*member = value.str();
  return "";
}

template <std::string CudaTools::*member>
static std::string readTool(StringRef value, CompileOptions &options) {
  options.tools.*member = value.str();
  return "";
}

namespace {

struct Word {
  StringRef name;
  std::string (*read)(StringRef value, CompileOptions &options);
};

} // namespace

static constexpr Word kWords[] = {
    {"to-phase", readLastPhase},
    {"ptxas", readTool<&CudaTools::ptxas>},
    {"libdevice", readTool<&CudaTools::libdevice>},
    {"dump-dir", readText<&CompileOptions::dumpFolder>},
    {"from", readSource},
    {"keep", readKept},
    {"explain", readExplained},
    {"launch", readLaunch},
    {"passes", readText<&CompileOptions::passes>},
};

static std::string readTarget(StringRef value, CompileTarget &target) {
  std::string problem;
  std::optional<CompileTarget> named = parseTarget(value, problem);
  if (!named)
    return problem;
  // The other words may have come first.
  target.cudaArch = named->cudaArch;
  target.cpuName = named->cpuName;
  target.cpuFeatures = named->cpuFeatures;
  return "";
}

static std::string describeUnknown(StringRef name) {
  std::string known = "target";
  for (const TargetOption &option : getTargetOptions())
    known += ", " + option.name.str();
  for (const Word &word : kWords)
    known += ", " + word.name.str();
  return "unknown option '" + name.str() + "'; use one of " + known;
}

static std::string readWord(StringRef name, StringRef value,
                            CompileOptions &options) {
  if (name == "target")
    return readTarget(value, options.target);
  std::optional<std::string> known =
      setTargetOption(options.target, name, value);
  for (const Word &word : kWords)
    if (word.name == name)
      known = word.read(value, options);
  if (!known)
    return describeUnknown(name);
  return known->empty() ? ""
                        : "unknown value '" + value.str() + "' of option '" +
                              name.str() + "'; use " + *known;
}

/// The words of `text`: what is in braces, as the options of a pass are, may
/// have blanks.
static SmallVector<StringRef> splitWords(StringRef text) {
  SmallVector<StringRef> words;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    bool isEnd = i == text.size() || (depth <= 0 && llvm::isSpace(text[i]));
    if (!isEnd) {
      depth += (text[i] == '{') - (text[i] == '}');
      continue;
    }
    if (i > begin)
      words.push_back(text.slice(begin, i));
    begin = i + 1;
  }
  return words;
}

std::string triton_shared::parseOptions(StringRef text,
                                        CompileOptions &options) {
  for (StringRef word : splitWords(text)) {
    auto [name, value] = word.split('=');
    std::string problem = readWord(name, value, options);
    if (!problem.empty())
      return problem;
  }
  if (options.wantsAssembly && (!options.isLlvmIr || options.target.isGpu()))
    return "'s' is made of LLVM IR for the CPU only";
  return "";
}
