//===- WidenSelects.h - Choices between halves of a register ----*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_WIDENSELECTS_H
#define TRITON_SHARED_LIB_TARGET_WIDENSELECTS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::triton_shared {

/// Chooses 32 bits wherever `module`, which is for a GPU and optimised, chooses
/// between two values of 8 or 16.
///
/// The ptxas of CUDA 12.8 takes the wrong half of a register where a chain of
/// `selp.b16` has values and conditions that all lanes of a warp share, as when
/// a warp picks its part of what other warps have counted. It is right at -O0.
void widenSelects(llvm::Module &module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_WIDENSELECTS_H
