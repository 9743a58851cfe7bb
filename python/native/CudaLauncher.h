//===- CudaLauncher.h - Launches on an NVIDIA GPU ---------------*- C++ -*-===//

#ifndef TRITON_SHARED_PYTHON_CUDALAUNCHER_H
#define TRITON_SHARED_PYTHON_CUDALAUNCHER_H

#include "LaunchBounds.h"
#include "Launcher.h"
#include "TensorMaps.h"

namespace triton_shared_python {

/// Owns a function of a cubin, loaded on one GPU.
class CudaKernel {
public:
  /// Raises RuntimeError if the driver does not take the cubin.
  CudaKernel(nanobind::bytes cubin, const std::string &entry,
             uint32_t sharedBytes, int device);
  ~CudaKernel() { tritonSharedCudaKernelDestroy(handle); }
  CudaKernel(const CudaKernel &) = delete;
  CudaKernel &operator=(const CudaKernel &) = delete;

  const TritonSharedCudaKernel *get() const { return handle; }
  TritonSharedCudaKernelFacts describe() const {
    return tritonSharedCudaKernelDescribe(handle);
  }

private:
  TritonSharedCudaKernel *handle;
};

class CudaLauncher : public Launcher {
public:
  /// A program has so many `threads`, a block so many `programs`. For the rest
  /// see TensorMaps and LaunchBounds; `otherForm` is None if there is none.
  CudaLauncher(std::string name, nanobind::sequence plan, nanobind::object link,
               nanobind::object check, nanobind::object failure,
               uint32_t threads, uint32_t programs, bool isCooperative,
               bool startsEarly, nanobind::sequence tensorMaps,
               int missingPlace, nanobind::sequence bounds,
               nanobind::object otherForm);

  nanobind::object getOtherForm() const { return otherForm; }

protected:
  Outcome launch(nanobind::handle kernel, const uint32_t *grid,
                 nanobind::handle stream, void **arguments,
                 char *&error) override;

private:
  Outcome refuseBounds() const;

  TritonSharedCudaLaunch settings;
  TensorMaps tensorMaps;
  LaunchBounds bounds;
};

/// The functions of module `_native` that look at GPUs.
void defineCuda(nanobind::module_ &module);

} // namespace triton_shared_python

#endif // TRITON_SHARED_PYTHON_CUDALAUNCHER_H
