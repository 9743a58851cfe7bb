//===- CompileTarget.cpp - What code is made for --------------------------===//

#include "triton-shared/Target/CompileTarget.h"

#include "triton-shared/Target/CpuTarget.h"
#include "triton-shared/Target/KnownGpus.h"

using namespace mlir;
using namespace mlir::triton_shared;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// What a value may be, for an error; empty if `value` was one.
static std::string parseValue(llvm::StringRef value, unsigned &number) {
  return value.getAsInteger(10, number) ? "a number" : "";
}

static std::string parseValue(llvm::StringRef value, bool &choice) {
  choice = value == "true";
  return choice || value == "false" ? "" : "true or false";
}

static std::string parseValue(llvm::StringRef value, CpuMode &mode) {
  mode = value == "fast" ? CpuMode::Fast : CpuMode::Reference;
  return value == "reference" || value == "fast" ? "" : "reference or fast";
}

static std::string parseValue(llvm::StringRef value, SpecializeWarps &where) {
  where = value == "always"  ? SpecializeWarps::Always
          : value == "never" ? SpecializeWarps::Never
                             : SpecializeWarps::Auto;
  bool isKnown = value == "auto" || value == "always" || value == "never";
  return isKnown ? "" : "auto or always or never";
}

static std::string parseValue(llvm::StringRef value, PointerMaps &maps) {
  maps = value == "assumed" ? PointerMaps::Assumed
         : value == "never" ? PointerMaps::Never
                            : PointerMaps::Guarded;
  bool isKnown = value == "guarded" || value == "assumed" || value == "never";
  return isKnown ? "" : "guarded or assumed or never";
}

static std::string parseValue(llvm::StringRef value, OnlineSoftmaxMode &mode) {
  mode = value == "deferred"      ? OnlineSoftmaxMode::Deferred
         : value == "speculative" ? OnlineSoftmaxMode::Speculative
                                  : OnlineSoftmaxMode::Exact;
  bool isKnown =
      value == "exact" || value == "deferred" || value == "speculative";
  return isKnown ? "" : "exact or deferred or speculative";
}

static constexpr llvm::StringLiteral kPlain = "plain";
static constexpr llvm::StringLiteral kGpuExact = "gpu-exact:sm_";

/// The only text among the options is how matrix products are added up.
static std::string parseValue(llvm::StringRef value, std::string &dotModel) {
  dotModel = value.str();
  llvm::StringRef arch = value;
  if (value == kPlain || (arch.consume_front(kGpuExact) && isKnownGpu(arch)))
    return "";
  std::string known = kPlain.str();
  for (llvm::StringRef gpu : getKnownGpus())
    known += (" or " + kGpuExact + gpu).str();
  return known;
}

std::optional<std::string>
triton_shared::setTargetOption(CompileTarget &target, llvm::StringRef name,
                               llvm::StringRef value) {
#define TARGET_OPTION(type, member, word, default, help)                       \
  if (name == word)                                                            \
    return parseValue(value, target.member);
#include "triton-shared/Target/TargetOptions.def"
  return std::nullopt;
}

static std::string printValue(unsigned number) {
  return std::to_string(number);
}

static std::string printValue(bool choice) { return choice ? "true" : "false"; }

static std::string printValue(CpuMode mode) {
  return mode == CpuMode::Fast ? "fast" : "reference";
}

static std::string printValue(SpecializeWarps where) {
  return where == SpecializeWarps::Auto     ? "auto"
         : where == SpecializeWarps::Always ? "always"
                                            : "never";
}

static std::string printValue(PointerMaps maps) {
  return maps == PointerMaps::Guarded   ? "guarded"
         : maps == PointerMaps::Assumed ? "assumed"
                                        : "never";
}

static std::string printValue(OnlineSoftmaxMode mode) {
  return mode == OnlineSoftmaxMode::Deferred      ? "deferred"
         : mode == OnlineSoftmaxMode::Speculative ? "speculative"
                                                  : "exact";
}

static std::string printValue(const std::string &text) { return text; }

template <typename Type>
static TargetOption describe(llvm::StringRef name, bool isForGpu, Type standard,
                             llvm::StringRef help) {
  Type unused;
  return {name, isForGpu, printValue(standard), parseValue("", unused), help};
}

llvm::ArrayRef<TargetOption> triton_shared::getTargetOptions() {
  static const TargetOption options[] = {
#define CPU_OPTION(type, member, name, default, help)                          \
  describe<type>(name, /*isForGpu=*/false, default, help),
#define GPU_OPTION(type, member, name, default, help)                          \
  describe<type>(name, /*isForGpu=*/true, default, help),
#include "triton-shared/Target/TargetOptions.def"
  };
  return options;
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

std::optional<CompileTarget> triton_shared::parseTarget(llvm::StringRef text,
                                                        std::string &problem) {
  CompileTarget target;
  if (text == "cpu")
    return target;
  if (text.consume_front("cpu:")) {
    auto [name, features] = text.split(',');
    target.cpuName = name.str();
    target.cpuFeatures = features.str();
    return CpuTarget::get(name, features, &problem) ? std::optional(target)
                                                    : std::nullopt;
  }
  llvm::StringRef arch = text;
  if (arch.consume_front("cuda:") && isKnownGpu(arch)) {
    target.cudaArch = arch.str();
    return target;
  }
  problem = "unknown target '" + text.str() +
            "'; use cpu, cpu:<LLVM's word for a CPU> as in cpu:x86-64-v3, or "
            "one of " +
            listGpus();
  return std::nullopt;
}

llvm::StringRef CompileTarget::getDotGpu() const {
  llvm::StringRef arch = dotModel;
  return arch.consume_front(kGpuExact) ? arch : "";
}

CpuTarget CompileTarget::getCpu() const {
  return *CpuTarget::get(cpuName, cpuFeatures);
}
