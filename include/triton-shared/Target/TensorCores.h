//===- TensorCores.h - How tensor cores add up ------------------*- C++ -*-===//

#ifndef TRITON_SHARED_TARGET_TENSORCORES_H
#define TRITON_SHARED_TARGET_TENSORCORES_H

#include "triton-shared/Target/GpuTarget.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::triton_shared {

/// One line of TensorCores.def.
struct TensorCore {
  unsigned firstCapability, lastCapability;
  llvm::StringLiteral instruction, operand, sum;
  int64_t block, fraction, result;
};

/// All lines.
llvm::ArrayRef<TensorCore> getTensorCores();

/// The one about `instruction` (`mma`, `wgmma`) of `operand`s (`f16`, `bf16`,
/// `tf32`, `f8`) with sums of type `sum` on `gpu`; null if there is none.
const TensorCore *findTensorCore(const GpuTarget &gpu,
                                 llvm::StringRef instruction,
                                 llvm::StringRef operand, llvm::StringRef sum);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_TENSORCORES_H
