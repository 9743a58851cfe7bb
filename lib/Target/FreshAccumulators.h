//===- FreshAccumulators.h - Zeros for products alone -----------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_FRESHACCUMULATORS_H
#define TRITON_SHARED_LIB_TARGET_FRESHACCUMULATORS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::triton_shared {

/// Gives every asynchronous product (`wgmma`) of `module`, which is for a GPU
/// and optimised, that begins with zeros registers of its own for them.
///
/// LLVM keeps one register for all zeros of a function, and the last product
/// that begins with it takes it for its result. Where others read that zero, as
/// the copies that are asked for while the product runs, ptxas waits for the
/// product before (C7517), or runs all products of the kernel one by one
/// (C7511).
void refreshAccumulators(llvm::Module &module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_FRESHACCUMULATORS_H
