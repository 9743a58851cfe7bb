//===- CudaApi.cpp - The CUDA driver of this process ----------------------===//

#include "CudaApi.h"

#include <atomic>
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
    api->cuGetErrorName(result, &name);
    api->cuGetErrorString(result, &words);
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

const cuda::Api *cuda::openApi(const std::string &path, std::string &error) {
  static std::mutex mutex;
  static Api api;
  std::lock_guard<std::mutex> lock(mutex);
  if (const Api *found = getApi())
    return found;
  char text[4096];
  if (!tritonSharedFindDriver(path.c_str(), &api, text, sizeof text)) {
    error = text;
    return nullptr;
  }
  if (Result result = api.cuInit(0)) {
    error = "the CUDA driver does not start: " + describeFor(&api, result);
    return nullptr;
  }
  opened.store(&api, std::memory_order_release);
  return &api;
}
