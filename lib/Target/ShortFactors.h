//===- ShortFactors.h - Products of numbers of 32 bits ----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_SHORTFACTORS_H
#define TRITON_SHARED_LIB_TARGET_SHORTFACTORS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::triton_shared {

/// Multiplies signed numbers of 32 bits wherever `module`, which is for a GPU
/// and optimised, multiplies numbers of 64 bits that have no more than these:
/// a program's number times a distance that is an argument, as it is. Factors
/// that are constant are multiplied with afterwards.
///
/// That is one instruction, `mul.wide.s32`, instead of four. LLVM takes it
/// where both factors are extended alike, in the block of the product: not for
/// numbers of programs, which it knows to be positive. Kernels with products of
/// matrices, which spend little time on addresses, are left as they are.
void multiplyShort(llvm::Module &module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_SHORTFACTORS_H
