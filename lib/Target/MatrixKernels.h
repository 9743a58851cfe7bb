//===- MatrixKernels.h - Kernels that multiply matrices ---------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_MATRIXKERNELS_H
#define TRITON_SHARED_LIB_TARGET_MATRIXKERNELS_H

namespace llvm {
class Function;
} // namespace llvm

namespace mlir::triton_shared {

/// True if `kernel`, which is for a GPU, keeps tensor cores busy: its order
/// overlaps what they do, and rewrites of little else are not worth another
/// one.
bool multipliesMatrices(const llvm::Function &kernel);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_MATRIXKERNELS_H
