//===- ObjectSeal.cpp - Objects that prove to be whole --------------------===//

#include "ObjectSeal.h"

#include "triton-shared/Target/CpuTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir::triton_shared;

static uint64_t hashOf(const CpuTarget &cpu) {
  return llvm::xxh3_64bits(cpu.describe());
}

static uint64_t hashOfHost() {
  static const uint64_t hash = hashOf(CpuTarget::getHost());
  return hash;
}

/// Sixteen hexadecimal digits.
static std::string sealOf(llvm::StringRef object, uint64_t machine) {
  return llvm::utohexstr(llvm::xxh3_64bits(object) ^ machine,
                         /*LowerCase=*/true, /*Width=*/16);
}

std::string mlir::triton_shared::sealObject(llvm::StringRef object,
                                            const CpuTarget &cpu) {
  bool runsHere = CpuTarget::getHost().canRun(cpu);
  return object.str() + sealOf(object, runsHere ? hashOfHost() : hashOf(cpu));
}

std::optional<llvm::StringRef>
mlir::triton_shared::openSealedObject(llvm::StringRef sealed) {
  constexpr size_t sealSize = 16;
  if (sealed.size() < sealSize)
    return std::nullopt;
  llvm::StringRef object = sealed.drop_back(sealSize);
  if (sealed.take_back(sealSize) != sealOf(object, hashOfHost()))
    return std::nullopt;
  return object;
}
