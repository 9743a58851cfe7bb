//===- CudaApi.cpp - The CUDA driver, opened at run time ------------------===//

#include "CudaApi.h"

#include <atomic>
#include <dlfcn.h>
#include <mutex>

using namespace mlir::triton_shared;

static std::atomic<const cuda::Api *> opened{nullptr};

const cuda::Api *cuda::getApi() {
  return opened.load(std::memory_order_acquire);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The way out of an error, for those that have one.
static const char *adviseOn(cuda::Result result) {
  switch (result) {
  case 2: // OUT_OF_MEMORY
    return "free GPU memory, or use a smaller problem";
  case 3: // NOT_INITIALIZED
    return "CUDA does not survive a fork: start child processes with the "
           "method 'spawn'";
  case 100: // NO_DEVICE
    return "no GPU is visible: look at nvidia-smi and CUDA_VISIBLE_DEVICES; "
           "kernels run without one on device \"cpu\"";
  case 200: // INVALID_IMAGE
  case 209: // NO_BINARY_FOR_GPU
    return "the cubin is damaged or made for another GPU: set "
           "TRITON_ALWAYS_COMPILE=1 to compile again";
  case 700: // ILLEGAL_ADDRESS
  case 716: // MISALIGNED_ADDRESS
  case 719: // LAUNCH_FAILED
    return "a kernel that ran before has failed, and this process can no "
           "longer use the GPU; find it with compute-sanitizer (and "
           "PYTORCH_NO_CUDA_MEMORY_CACHING=1), or run it on device \"cpu\"";
  case 710: // ASSERT
    return "a tl.device_assert of a kernel that ran before has failed; this "
           "process can no longer use the GPU";
  case 701: // LAUNCH_OUT_OF_RESOURCES
    return "the kernel needs more registers than a block may have: use fewer "
           "warps, or smaller blocks";
  case 720: // COOPERATIVE_LAUNCH_TOO_LARGE
    return "all programs of a cooperative launch must fit on the GPU at once: "
           "use a smaller grid";
  case 222: // UNSUPPORTED_PTX_VERSION
  case 803: // SYSTEM_DRIVER_MISMATCH
    return "the NVIDIA driver is older than what made the cubin: update it, "
           "or set TRITON_PTXAS_PATH to the ptxas of its version";
  default:
    return nullptr;
  }
}

static std::string describeFor(const cuda::Api *api, cuda::Result result) {
  const char *name = nullptr, *words = nullptr;
  if (api) {
    api->GetErrorName(result, &name);
    api->GetErrorString(result, &words);
  }
  std::string text =
      name ? name : "unknown CUDA error " + std::to_string(result);
  if (words)
    text += std::string(": ") + words;
  if (const char *advice = adviseOn(result))
    text += std::string("\n") + advice;
  return text;
}

std::string cuda::describe(Result result) {
  return describeFor(getApi(), result);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

template <typename Pointer>
static bool find(void *library, const char *name, Pointer &function,
                 std::string &error) {
  function = reinterpret_cast<Pointer>(dlsym(library, name));
  if (!function)
    error = "it lacks the function '" + std::string(name) +
            "'\nupdate the NVIDIA driver: CUDA 12 or newer is needed";
  return function;
}

static bool findAll(void *library, cuda::Api &api, std::string &error) {
  return find(library, "cuInit", api.Init, error) &&
         find(library, "cuGetErrorName", api.GetErrorName, error) &&
         find(library, "cuGetErrorString", api.GetErrorString, error) &&
         find(library, "cuDriverGetVersion", api.DriverGetVersion, error) &&
         find(library, "cuDeviceGetCount", api.DeviceGetCount, error) &&
         find(library, "cuDeviceGet", api.DeviceGet, error) &&
         find(library, "cuDeviceGetName", api.DeviceGetName, error) &&
         find(library, "cuDeviceGetAttribute", api.DeviceGetAttribute, error) &&
         find(library, "cuDevicePrimaryCtxRetain", api.DevicePrimaryCtxRetain,
              error) &&
         find(library, "cuCtxGetCurrent", api.CtxGetCurrent, error) &&
         find(library, "cuCtxSetCurrent", api.CtxSetCurrent, error) &&
         find(library, "cuCtxGetDevice", api.CtxGetDevice, error) &&
         find(library, "cuModuleLoadDataEx", api.ModuleLoadDataEx, error) &&
         find(library, "cuModuleUnload", api.ModuleUnload, error) &&
         find(library, "cuModuleGetFunction", api.ModuleGetFunction, error) &&
         find(library, "cuFuncGetAttribute", api.FuncGetAttribute, error) &&
         find(library, "cuFuncSetAttribute", api.FuncSetAttribute, error) &&
         find(library, "cuFuncSetCacheConfig", api.FuncSetCacheConfig, error) &&
         find(library, "cuLaunchKernelEx", api.LaunchKernelEx, error);
}

const cuda::Api *cuda::openApi(const std::string &path, std::string &error) {
  static std::mutex mutex;
  static Api api;
  std::lock_guard<std::mutex> lock(mutex);
  if (const Api *found = getApi())
    return found;
  const std::string name = path.empty() ? "libcuda.so.1" : path;
  // Never closed: kernels outlive everything.
  void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    error = std::string("the CUDA driver does not load: ") + dlerror() +
            "\ninstall the NVIDIA driver, or point TRITON_SHARED_LIBCUDA at "
            "its libcuda.so.1; kernels run without it on device \"cpu\"";
    return nullptr;
  }
  Api found;
  if (!findAll(library, found, error)) {
    error = "the CUDA driver '" + name + "' cannot be used: " + error;
    return nullptr;
  }
  api = found;
  if (Result result = api.Init(0)) {
    error = "the CUDA driver does not start: " + describeFor(&api, result);
    return nullptr;
  }
  opened.store(&api, std::memory_order_release);
  return &api;
}
