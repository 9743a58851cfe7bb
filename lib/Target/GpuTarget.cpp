//===- GpuTarget.cpp - What one kind of GPU has ---------------------------===//

#include "triton-shared/Target/GpuTarget.h"

using namespace mlir::triton_shared;
using llvm::StringRef;

static unsigned parseCapability(StringRef arch) {
  // Of one architecture alone, or of its family.
  if (!arch.consume_back("a"))
    arch.consume_back("f");
  unsigned capability;
  return arch.getAsInteger(10, capability) ? 0 : capability;
}

GpuTarget::GpuTarget(StringRef arch)
    : arch(arch), capability(parseCapability(arch)) {}

GpuTarget GpuTarget::getOldest() {
  return GpuTarget(std::to_string(kLeastCapability));
}

// Source: CUDA Programming Guide, "Memory Information per Compute Capability".
// It has no column 8.8, which is taken to be like its neighbours.
int64_t GpuTarget::getSharedBytes() const {
  constexpr int64_t kKilobyte = 1024;
  switch (capability) {
  case 80:
  case 87:
    return 163 * kKilobyte;
  case 90:
  case 100:
  case 101:
  case 103:
  case 110:
    return 227 * kKilobyte;
  default:
    return 99 * kKilobyte;
  }
}

// Source: PTX ISA, "Target ISA Notes" of wgmma.mma_async.
bool GpuTarget::hasWgmma() const { return arch == "90a"; }

// Source: PTX ISA, "Target ISA Notes" of cp.async.bulk.tensor.
bool GpuTarget::hasTma() const { return capability >= 90; }

// Source: PTX ISA, "Target ISA Notes" of tensormap.replace: only what is of one
// architecture alone, or of its family, has it.
bool GpuTarget::makesTensorMaps() const {
  return hasTma() && !llvm::isDigit(arch.back());
}

// Source: PTX ISA, "stmatrix".
bool GpuTarget::hasMatrixStores() const { return capability >= 90; }

// Source: PTX ISA, "mma": .f64 of m16n8k4, m16n8k8 and m16n8k16.
bool GpuTarget::hasLargeF64Matrices() const { return capability >= 90; }

// Source: PTX ISA, "cvt": .e4m3x2 and .e5m2x2 to .f16x2.
bool GpuTarget::hasFloat8() const { return capability >= 89; }

// Source: PTX ISA, "Target ISA Notes" of red: vectors, and bf16x2.
bool GpuTarget::hasVectorUpdates() const { return capability >= 90; }

// Source: CUDA Programming Guide, "Thread Block Clusters": 8 is what is
// portable.
unsigned GpuTarget::getClusterLimit() const { return capability >= 90 ? 8 : 1; }
