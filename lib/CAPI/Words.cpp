//===- Words.cpp - The words that callers may use -------------------------===//
//
// Python and other languages ask for the names of phases and options instead of
// having lists of their own.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/CAPI/TritonShared.h"
#include "triton-shared/Pipelines/Phases.h"
#include "triton-shared/Target/TensorCores.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::triton_shared;

static std::string joinWay(bool forGpu) {
  CompileTarget target;
  if (forGpu)
    target.cudaArch = "90a";
  return llvm::join(getWay(target), " ");
}

static std::string describeOptions() {
  llvm::json::Array options;
  for (const TargetOption &option : getTargetOptions())
    options.push_back(
        llvm::json::Object{{"name", option.name},
                           {"device", option.isForGpu ? "gpu" : "cpu"},
                           {"default", option.standard},
                           {"values", option.values},
                           {"help", option.help}});
  return llvm::formatv("{0}", llvm::json::Value(std::move(options)));
}

static std::string describeTensorCores() {
  llvm::json::Array cores;
  for (const TensorCore &core : getTensorCores())
    cores.push_back(llvm::json::Object{{"first", core.firstCapability},
                                       {"last", core.lastCapability},
                                       {"instruction", core.instruction},
                                       {"operand", core.operand},
                                       {"sum", core.sum},
                                       {"block", core.block},
                                       {"fraction", core.fraction},
                                       {"result", core.result}});
  return llvm::formatv("{0}", llvm::json::Value(std::move(cores)));
}

TritonSharedString tritonSharedListPhases(bool forGpu) {
  static const std::string ways[] = {joinWay(false), joinWay(true)};
  return {ways[forGpu].data(), ways[forGpu].size()};
}

TritonSharedString tritonSharedListTargetOptions() {
  static const std::string options = describeOptions();
  return {options.data(), options.size()};
}

TritonSharedString tritonSharedListTensorCores() {
  static const std::string cores = describeTensorCores();
  return {cores.data(), cores.size()};
}
