//===- TensorMap.h - Recipes of tensor maps ---------------------*- C++ -*-===//

#ifndef TRITON_SHARED_DIALECT_STRUCTURED_IR_TENSORMAP_H
#define TRITON_SHARED_DIALECT_STRUCTURED_IR_TENSORMAP_H

#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

namespace mlir::tts {

/// Checks that `map`, of argument `index`, can be made of the parameters of
/// `function`.
LogicalResult verifyTensorMap(FunctionOpInterface function, unsigned index,
                              KernelSignature signature, TensorMapAttr map);

} // namespace mlir::tts

#endif // TRITON_SHARED_DIALECT_STRUCTURED_IR_TENSORMAP_H
