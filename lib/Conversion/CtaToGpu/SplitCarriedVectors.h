//===- SplitCarriedVectors.h - Registers that blocks take -------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_CTATOGPU_SPLITCARRIEDVECTORS_H
#define TRITON_SHARED_LIB_CONVERSION_CTATOGPU_SPLITCARRIEDVECTORS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::triton_shared {

/// Has the blocks inside `root` take the elements of a vector one by one where
/// all that give it to them put it together from elements, and nothing is done
/// with it but to take it apart again.
void splitCarriedVectors(Operation *root);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_CTATOGPU_SPLITCARRIEDVECTORS_H
