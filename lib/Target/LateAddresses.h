//===- LateAddresses.h - Where to, when it is stored ------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_LATEADDRESSES_H
#define TRITON_SHARED_LIB_TARGET_LATEADDRESSES_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::triton_shared {

/// Computes the addresses of what is written just before it is, in every block
/// of `module`, which is for a GPU and optimised, that needs more registers
/// than a thread has.
///
/// The lowering computes those of a whole tile ahead of its first store, beside
/// the numbers themselves: two registers for each row that is not known to lie
/// at a multiple of anything. ptxas keeps to that order and spills.
void delayAddresses(llvm::Module &module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_LATEADDRESSES_H
