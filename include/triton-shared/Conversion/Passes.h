//===- Passes.h - Registration of the passes of Conversion --*- C++ -*-===//

#ifndef TRITON_SHARED_CONVERSION_PASSES_H
#define TRITON_SHARED_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::triton_shared {

#define GEN_PASS_DECL
#include "triton-shared/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "triton-shared/Conversion/Passes.h.inc"

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_CONVERSION_PASSES_H
