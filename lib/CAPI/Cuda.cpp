//===- Cuda.cpp - GPUs through the C interface ----------------------------===//

#include "../../runtime/CudaKernel.h"
#include "triton-shared/CAPI/TritonShared.h"

#include <algorithm>
#include <cstring>

using namespace mlir::triton_shared;

struct TritonSharedCudaKernel {
  std::unique_ptr<cuda::Kernel> kernel;
};

/// Hands over what went wrong, as a copy that `tritonSharedFree` releases.
static bool report(bool succeeded, const std::string &text, char **error) {
  if (succeeded || !error)
    return succeeded;
  *error = static_cast<char *>(std::malloc(text.size() + 1));
  std::memcpy(*error, text.c_str(), text.size() + 1);
  return false;
}

bool tritonSharedCudaOpen(TritonSharedString path, char **error) {
  std::string text;
  bool succeeded = cuda::openApi(std::string(path.data, path.size), text);
  return report(succeeded, text, error);
}

bool tritonSharedCudaCountDevices(int32_t *count, char **error) {
  cuda::Result result = cuda::getApi()->cuDeviceGetCount(count);
  return report(!result, result ? cuda::describe(result) : "", error);
}

int32_t tritonSharedCudaGetDevice(void) { return cuda::getCurrentDevice(); }

bool tritonSharedCudaSetDevice(int32_t device, char **error) {
  std::string text;
  return report(cuda::setCurrentDevice(device, text), text, error);
}

bool tritonSharedCudaDescribeDevice(int32_t device,
                                    TritonSharedCudaDevice *facts,
                                    char **error) {
  cuda::DeviceInfo info;
  std::string text;
  if (!info.open(device, text))
    return report(false, text, error);
  *facts = {};
  std::string name = info.getName();
  std::copy_n(name.data(), std::min(name.size(), sizeof facts->name - 1),
              facts->name);
  facts->major = info.get(cuda::ComputeCapabilityMajor);
  facts->minor = info.get(cuda::ComputeCapabilityMinor);
  facts->multiprocessors = info.get(cuda::MultiprocessorCount);
  facts->warpSize = info.get(cuda::WarpSize);
  facts->maxThreads = info.get(cuda::MaxThreadsPerBlock);
  facts->sharedBytes = info.get(cuda::MaxSharedMemoryPerBlockOptIn);
  facts->registers = info.get(cuda::MaxRegistersPerBlock);
  facts->cacheBytes = info.get(cuda::L2CacheSize);
  facts->clockKilohertz = info.get(cuda::ClockRate);
  facts->memoryClockKilohertz = info.get(cuda::MemoryClockRate);
  facts->memoryBusBits = info.get(cuda::MemoryBusWidth);
  return true;
}

TritonSharedCudaKernel *
tritonSharedCudaKernelLoad(TritonSharedString cubin, TritonSharedString entry,
                           uint32_t sharedBytes, int32_t device, char **error) {
  std::string text;
  std::unique_ptr<cuda::Kernel> kernel = cuda::Kernel::load(
      {cubin.data, cubin.size}, std::string(entry.data, entry.size),
      sharedBytes, device, text);
  if (!report(kernel != nullptr, text, error))
    return nullptr;
  return new TritonSharedCudaKernel{std::move(kernel)};
}

TritonSharedCudaKernelFacts
tritonSharedCudaKernelDescribe(const TritonSharedCudaKernel *handle) {
  const cuda::Kernel &kernel = *handle->kernel;
  return {kernel.getOrdinal(), kernel.getAttribute(cuda::Registers),
          kernel.getAttribute(cuda::LocalBytes),
          kernel.getAttribute(cuda::MaxThreadsOfFunction),
          kernel.getFunction()};
}

bool tritonSharedCudaKernelLaunch(const TritonSharedCudaKernel *kernel,
                                  void *const *args,
                                  const TritonSharedCudaLaunch *launch,
                                  char **error) {
  cuda::KernelLaunch grid{{launch->grid[0], launch->grid[1], launch->grid[2]},
                          launch->threads,
                          std::max(launch->programs, 1u),
                          static_cast<cuda::Stream>(launch->stream),
                          launch->cooperative,
                          launch->startsEarly};
  std::string text;
  return report(kernel->kernel->launch(args, grid, text), text, error);
}

bool tritonSharedCudaKernelEncode(const TritonSharedCudaKernel *kernel,
                                  const TritonSharedTensorMapRecipe *recipe,
                                  const TritonSharedMapValues *values,
                                  TritonSharedTensorMap *map, char **error) {
  std::string text;
  return report(kernel->kernel->encode(*recipe, *values, *map, text), text,
                error);
}

void tritonSharedCudaKernelDestroy(TritonSharedCudaKernel *kernel) {
  delete kernel;
}
