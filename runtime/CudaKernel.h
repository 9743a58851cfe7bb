//===- CudaKernel.h - Cubins in a GPU, and their launches -------*- C++ -*-===//

#ifndef TRITON_SHARED_RUNTIME_CUDAKERNEL_H
#define TRITON_SHARED_RUNTIME_CUDAKERNEL_H

#include "CudaApi.h"
#include "cuda/launch.h"
#include "cuda/tensor_map.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace mlir::triton_shared::cuda {

/// A device, by its number in CUDA_VISIBLE_DEVICES.
class DeviceInfo {
public:
  /// Returns false and fills `error` if there is no such device.
  bool open(int ordinal, std::string &error);
  /// The value of an attribute; zero if the driver does not know it.
  int get(DeviceAttribute attribute) const;
  std::string getName() const;
  /// The context that libraries of the runtime API share. Null and `error` on
  /// failure; kept for the life of the process.
  Context getContext(std::string &error) const;

private:
  Device device = 0;
};

/// The device of this thread's current context; 0 if it has none.
int getCurrentDevice();

/// Makes the primary context of `ordinal` current on this thread.
bool setCurrentDevice(int ordinal, std::string &error);

using KernelLaunch = TritonSharedGridLaunch;

/// A function of a cubin, loaded on one device.
class Kernel {
public:
  /// Loads `cubin` and finds `name` in it, which may use `sharedBytes` of
  /// dynamic shared memory. Returns null and fills `error` if that fails.
  static std::unique_ptr<Kernel> load(std::string_view cubin,
                                      const std::string &name,
                                      uint32_t sharedBytes, int ordinal,
                                      std::string &error);
  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  /// Puts the grid into the stream, whatever this thread's current context is.
  /// `arguments[i]` points at the value of parameter i. An empty grid is done
  /// at once. Returns false and fills `error` if CUDA or a limit refuses it.
  bool launch(void *const *arguments, const KernelLaunch &launch,
              std::string &error) const;

  /// Has the driver encode a tensor map of values that were checked. Returns
  /// false and fills `error` if it does not.
  bool encode(const TritonSharedTensorMapRecipe &recipe,
              const TritonSharedMapValues &values, TritonSharedTensorMap &map,
              std::string &error) const;

  int getAttribute(FunctionAttribute attribute) const;
  int getOrdinal() const { return ordinal; }
  Function getFunction() const { return function; }

private:
  Kernel(std::string name, uint32_t sharedBytes, int ordinal, Context context)
      : name(std::move(name)), sharedBytes(sharedBytes), ordinal(ordinal),
        context(context) {}

  bool loadModule(const void *image, std::string &error);
  bool reserveShared(const DeviceInfo &device, std::string &error);
  bool check(const KernelLaunch &launch, std::string &error) const;
  Result submit(void *const *arguments, const KernelLaunch &launch) const;
  std::string describeLaunch(const KernelLaunch &launch) const;

  std::string name;
  uint32_t sharedBytes;
  int ordinal;
  Context context;
  Module module = nullptr;
  Function function = nullptr;
  uint32_t maxThreads = 0;
};

} // namespace mlir::triton_shared::cuda

#endif // TRITON_SHARED_RUNTIME_CUDAKERNEL_H
