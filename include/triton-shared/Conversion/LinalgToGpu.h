//===- LinalgToGpu.h - Passes between linalg and PTX ------------*- C++ -*-===//

#ifndef TRITON_SHARED_CONVERSION_LINALGTOGPU_H
#define TRITON_SHARED_CONVERSION_LINALGTOGPU_H

#include "mlir/Pass/Pass.h"

namespace mlir::triton_shared {

#define GEN_PASS_DECL_LINALGTOCTA
#define GEN_PASS_DECL_CTATOGPU
#define GEN_PASS_DECL_GPUAPPROXIMATEMATH
#include "triton-shared/Conversion/Passes.h.inc"

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_CONVERSION_LINALGTOGPU_H
