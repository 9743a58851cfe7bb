//===- CudaToolkit.h - Where NVIDIA's tools are -----------------*- C++ -*-===//

#ifndef TRITON_SHARED_TARGET_CUDATOOLKIT_H
#define TRITON_SHARED_TARGET_CUDATOOLKIT_H

#include <string>

namespace mlir::triton_shared {

/// The ptxas program: TRITON_PTXAS_PATH, else that of the CUDA Toolkit in
/// CUDA_HOME, else the first in PATH. Empty if there is none.
std::string findPtxas();

/// NVIDIA's library of functions, libdevice.10.bc: TRITON_LIBDEVICE_PATH, else
/// that of the CUDA Toolkit in CUDA_HOME or of the one that `ptxas` belongs to,
/// else that of the Triton wheel that it belongs to. Empty if there is none.
std::string findLibdevice(const std::string &ptxas);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_CUDATOOLKIT_H
