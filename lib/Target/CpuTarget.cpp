//===- CpuTarget.cpp - A CPU that code is made for ------------------------===//

#include "triton-shared/Target/CpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <memory>
#include <mutex>

using namespace mlir::triton_shared;
using llvm::StringRef;

/// What every x86-64 CPU has: the baseline of its psABI. Without it LLVM makes
/// no code, or ends the process.
static constexpr llvm::StringLiteral kLeastX86[] = {
    "64bit", "64bit-mode", "cmov", "cx8", "fxsr", "mmx", "sse", "sse2", "x87"};

/// What makes code that no process of such a CPU runs.
static constexpr llvm::StringLiteral kForeignX86[] = {
    "16bit-mode", "32bit-mode", "soft-float", "x32"};

void mlir::triton_shared::initializeCpuBackEnd() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

/// True if LLVM has `feature` for CPUs of the kind; of a kind that no code can
/// be made for here, it is not known.
static bool isKnownFeature(const llvm::Triple &triple, StringRef feature) {
  initializeCpuBackEnd();
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return true;
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, /*CPU=*/"", /*Features=*/""));
  return llvm::any_of(info->getAllProcessorFeatures(),
                      [&](const llvm::SubtargetFeatureKV &known) {
                        return feature == known.Key;
                      });
}

const CpuTarget &CpuTarget::getHost() {
  static const CpuTarget host = [] {
    CpuTarget target;
    target.triple = llvm::Triple(llvm::sys::getDefaultTargetTriple());
    target.name = llvm::sys::getHostCPUName();
    target.features = llvm::sys::getHostCPUFeatures();
    return target;
  }();
  return host;
}

std::optional<CpuTarget> CpuTarget::get(StringRef name, StringRef changes,
                                        std::string *problem) {
  CpuTarget target;
  if (name == "host") {
    target = getHost();
  } else if (llvm::X86::parseArchX86(name, /*Only64Bit=*/true) !=
             llvm::X86::CK_None) {
    target.triple = llvm::Triple("x86_64-unknown-linux-gnu");
    target.name = name;
    llvm::SmallVector<StringRef> known;
    llvm::X86::getFeaturesForCPU(name, known);
    // The list leaves out what others in it imply.
    for (StringRef feature : known) {
      target.features[feature] = true;
      llvm::X86::updateImpliedFeatures(feature, true, target.features);
    }
  } else if (llvm::AArch64::parseCpu(name)) {
    target.triple = llvm::Triple("aarch64-unknown-linux-gnu");
    target.name = name;
  } else {
    if (problem)
      *problem = "unknown target '" + name.str() +
                 "'; use host, or LLVM's word for an x86-64 or AArch64 CPU, as "
                 "x86-64-v3 or neoverse-v1";
    return std::nullopt;
  }
  std::string wrong = target.change(changes);
  if (wrong.empty())
    return target;
  if (problem)
    *problem = wrong;
  return std::nullopt;
}

std::string CpuTarget::change(StringRef changes) {
  llvm::SubtargetFeatures listed(changes);
  for (const std::string &change : listed.getFeatures()) {
    StringRef feature = llvm::SubtargetFeatures::StripFlag(change);
    bool isAdded = llvm::SubtargetFeatures::isEnabled(change);
    if (!isKnownFeature(triple, feature))
      return "CPUs of the kind " + triple.getArchName().str() +
             " have no feature '" + feature.str() +
             "'; 'llc -mattr=help' of LLVM lists what they have";
    if (!isAdded && isX86() && llvm::is_contained(kLeastX86, feature))
      return "no CPU of the kind " + triple.getArchName().str() + " lacks '" +
             feature.str() + "'; leave '" + change + "' out";
    if (isAdded && isX86() && llvm::is_contained(kForeignX86, feature))
      return "no process of a CPU of the kind " + triple.getArchName().str() +
             " runs code with '" + feature.str() + "'; leave it out";
    if (isX86())
      llvm::X86::updateImpliedFeatures(feature, isAdded, features);
    features[feature] = isAdded;
  }
  return "";
}

std::string CpuTarget::getFeatures() const {
  llvm::SmallVector<StringRef> names(features.keys());
  llvm::sort(names);
  llvm::SubtargetFeatures text;
  for (StringRef feature : names)
    text.AddFeature(feature, features.lookup(feature));
  return text.getString();
}

std::string CpuTarget::describe() const {
  return triple.str() + " " + name + " " + getFeatures();
}

bool CpuTarget::canRun(const CpuTarget &other) const {
  if (triple.getArch() != other.triple.getArch())
    return false;
  return llvm::all_of(other.features, [&](const auto &feature) {
    // What every CPU of the kind has is listed for none.
    auto own = features.find(feature.getKey());
    return !feature.getValue() || own == features.end() || own->getValue();
  });
}

unsigned CpuTarget::getVectorBytes() const {
  if (has("avx512f") && has("avx512vl"))
    return 64;
  return has("avx2") ? 32 : 16;
}

unsigned CpuTarget::getVectorRegisters() const {
  return isX86() && getVectorBytes() < 64 ? 16 : 32;
}

unsigned CpuTarget::getStreamBytes() const {
  // Measured: its registers of 512 bits are moved in halves, which costs a
  // tenth of the bandwidth of memory.
  constexpr unsigned kHalf = 32;
  return name == "znver4" ? std::min(kHalf, getVectorBytes())
                          : getVectorBytes();
}

bool CpuTarget::hasFma() const { return !isX86() || has("fma"); }

bool CpuTarget::hasScale() const { return getVectorBytes() == 64; }

bool CpuTarget::hasBf16Pairs() const {
  return has("avx512bf16") && has("avx512vl");
}

bool CpuTarget::hasInt16Pairs() const {
  return has("avx512vnni") && has("avx512vl");
}

bool CpuTarget::hasBf16Tiles() const {
  return has("amx-bf16") && has("amx-tile") && hasBf16Pairs();
}

bool CpuTarget::hasInt8Tiles() const {
  return has("amx-int8") && has("amx-tile") && hasInt16Pairs();
}
