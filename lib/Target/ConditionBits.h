//===- ConditionBits.h - Conditions that are compared -----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_CONDITIONBITS_H
#define TRITON_SHARED_LIB_TARGET_CONDITIONBITS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::triton_shared {

/// Makes an exclusive or of conditions wherever `module`, which is for a GPU
/// and optimised, compares a condition, as a number, with one that is zero or
/// one, as `tl.sort` does with each comparison.
///
/// A GPU combines the condition with that of a comparison in one instruction;
/// as a number it has to be made one, and compared again.
void compareAsConditions(llvm::Module &module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_CONDITIONBITS_H
