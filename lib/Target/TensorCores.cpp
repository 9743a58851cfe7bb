//===- TensorCores.cpp - How tensor cores add up --------------------------===//

#include "triton-shared/Target/TensorCores.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::triton_shared;

llvm::ArrayRef<TensorCore> mlir::triton_shared::getTensorCores() {
  static constexpr TensorCore cores[] = {
#define TENSOR_CORE(first, last, instruction, operand, sum, block, fraction,   \
                    result)                                                    \
  {first, last, instruction, operand, sum, block, fraction, result},
#include "triton-shared/Target/TensorCores.def"
  };
  return cores;
}

const TensorCore *mlir::triton_shared::findTensorCore(
    const GpuTarget &gpu, llvm::StringRef instruction, llvm::StringRef operand,
    llvm::StringRef sum) {
  const auto *found = llvm::find_if(getTensorCores(), [&](const auto &core) {
    return core.firstCapability <= gpu.getCapability() &&
           gpu.getCapability() <= core.lastCapability &&
           core.instruction == instruction && core.operand == operand &&
           core.sum == sum;
  });
  return found == getTensorCores().end() ? nullptr : found;
}
