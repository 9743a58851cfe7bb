//===- WholeProducts.h - Both halves of a product at once -------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_WHOLEPRODUCTS_H
#define TRITON_SHARED_LIB_TARGET_WHOLEPRODUCTS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::triton_shared {

/// Makes one multiplication of two wherever `module`, which is for a GPU and
/// optimised, computes the upper and the lower half of the same product of 32
/// bits, as Philox does twice in each round.
///
/// LLVM takes an instruction for each half, and ptxas leaves it at that.
void multiplyOnce(llvm::Module &module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_WHOLEPRODUCTS_H
