//===- FreshAccumulators.h - Products that begin with nothing ---*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_FRESHACCUMULATORS_H
#define TRITON_SHARED_LIB_TARGET_FRESHACCUMULATORS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::triton_shared {

/// Lets every asynchronous product (`wgmma`) of `module`, which is for a GPU
/// and optimised, that adds to zeros add to nothing instead, and needs no
/// registers that are zero. Other constants it adds to are hidden from ptxas.
///
/// LLVM keeps one register for all zeros of a function, and the last product
/// that begins with it takes it for its result. Where others read that zero, as
/// the copies that are asked for while the product runs, ptxas waits for the
/// product before (C7517), or runs all products of the kernel one by one
/// (C7511). And where integer instructions read a result, as they do to negate
/// a float, ptxas 12.8 takes it for the constant that its register held before,
/// and leaves the product out.
void refreshAccumulators(llvm::Module &module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_FRESHACCUMULATORS_H
