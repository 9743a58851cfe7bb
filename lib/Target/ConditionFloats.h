//===- ConditionFloats.h - Conditions that become floats --------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_CONDITIONFLOATS_H
#define TRITON_SHARED_LIB_TARGET_CONDITIONFLOATS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::triton_shared {

/// Chooses between -1 and 0 wherever `module`, which is for a GPU and
/// optimised, converts a condition, as a signed number, to bf16.
///
/// LLVM 22 makes 1 of one that holds, for GPUs that convert to bf16 by an
/// instruction; for all other floats, -1.
void chooseConditionFloats(llvm::Module &module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_CONDITIONFLOATS_H
