//===- CpuTarget.cpp - A CPU that code is made for ------------------------===//

#include "triton-shared/Target/CpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mlir::triton_shared;
using llvm::StringRef;

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

std::optional<CpuTarget> CpuTarget::get(StringRef name, StringRef changes) {
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
    return std::nullopt;
  }
  llvm::SubtargetFeatures listed(changes);
  for (const std::string &change : listed.getFeatures()) {
    StringRef feature = llvm::SubtargetFeatures::StripFlag(change);
    bool isAdded = llvm::SubtargetFeatures::isEnabled(change);
    if (target.isX86())
      llvm::X86::updateImpliedFeatures(feature, isAdded, target.features);
    target.features[feature] = isAdded;
  }
  return target;
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
