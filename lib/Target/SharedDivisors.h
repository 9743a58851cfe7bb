//===- SharedDivisors.h - Quotients by the same number ----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_SHAREDDIVISORS_H
#define TRITON_SHARED_LIB_TARGET_SHAREDDIVISORS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::triton_shared {

/// Computes the reciprocal once where a block of `module`, which is for a GPU
/// and optimised, has several quotients `div.full.f32` by the same number: of
/// a row by its sum. Each is the same to the last bit.
///
/// `ptxas` does that as well, but scales each dividend in two instructions,
/// where a quotient of a very large or a very small number needs it, and takes
/// its time: 15 % of all it takes for attention of 128 dims.
void divideOnce(llvm::Module &module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_SHAREDDIVISORS_H
