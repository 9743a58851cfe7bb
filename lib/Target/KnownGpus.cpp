//===- KnownGpus.cpp - The GPUs that code can be made for -----------------===//

#include "triton-shared/Target/KnownGpus.h"

#include "triton-shared/Target/GpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <mutex>

using namespace mlir::triton_shared;
using llvm::StringRef;

void mlir::triton_shared::initializeGpuBackEnd() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

/// The architectures that LLVM knows, without `sm_`: the table lists its
/// processors in the order of their names.
static llvm::SmallVector<StringRef> readTable() {
  initializeGpuBackEnd();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  llvm::SmallVector<StringRef> found;
  if (!target)
    return found;
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, /*CPU=*/"", /*Features=*/""));
  // The names are literals of LLVM, which outlive the object.
  for (const llvm::SubtargetSubTypeKV &processor :
       info->getAllProcessorDescriptions()) {
    StringRef arch(processor.Key);
    if (arch.consume_front("sm_") &&
        GpuTarget(arch).getCapability() >= GpuTarget::kLeastCapability)
      found.push_back(arch);
  }
  auto order = [](StringRef arch) {
    return std::pair(GpuTarget(arch).getCapability(), arch);
  };
  llvm::sort(found,
             [&](StringRef a, StringRef b) { return order(a) < order(b); });
  return found;
}

llvm::ArrayRef<StringRef> mlir::triton_shared::getKnownGpus() {
  static const llvm::SmallVector<StringRef> table = readTable();
  return table;
}

bool mlir::triton_shared::isKnownGpu(StringRef arch) {
  return llvm::is_contained(getKnownGpus(), arch);
}

std::string mlir::triton_shared::listGpus() {
  std::string text;
  for (StringRef arch : getKnownGpus())
    text += (text.empty() ? "cuda:" : ", cuda:") + arch.str();
  return text;
}
