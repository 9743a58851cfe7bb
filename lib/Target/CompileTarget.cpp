//===- CompileTarget.cpp - What code is made for --------------------------===//

#include "triton-shared/Target/CompileTarget.h"

#include "triton-shared/Target/CpuTarget.h"
#include "triton-shared/Target/GpuTarget.h"

using namespace mlir;
using namespace mlir::triton_shared;

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

CpuTarget CompileTarget::getCpu() const {
  return *CpuTarget::get(cpuName, cpuFeatures);
}

unsigned CompileTarget::getCapability() const {
  return triton_shared::getCapability(cudaArch);
}

// Source: CUDA Programming Guide, "Memory Information per Compute Capability".
// It has no column 8.8, which is taken to be like its neighbours.
int64_t CompileTarget::getSharedBytes() const {
  constexpr int64_t kKilobyte = 1024;
  switch (getCapability()) {
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
