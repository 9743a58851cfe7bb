//===- CudaKernel.cpp - Cubins in a GPU, and their launches ---------------===//

#include "CudaKernel.h"

#include <algorithm>
#include <mutex>
#include <vector>

using namespace mlir::triton_shared::cuda;

namespace {

/// Makes a context current, and afterwards the one that was. Where it is
/// current already, as nearly always, this is one cheap question.
class ContextGuard {
public:
  explicit ContextGuard(Context context) {
    const Api &api = *getApi();
    result = api.cuCtxGetCurrent(&before);
    if (result || before == context)
      return;
    result = api.cuCtxSetCurrent(context);
    // A thread without a context keeps the new one, as in the runtime API.
    restores = !result && before;
  }
  ~ContextGuard() {
    if (restores)
      getApi()->cuCtxSetCurrent(before);
  }
  ContextGuard(const ContextGuard &) = delete;
  ContextGuard &operator=(const ContextGuard &) = delete;

  Result result;

private:
  Context before = nullptr;
  bool restores = false;
};

constexpr uint32_t kMaxGridX = 0x7fffffff;
constexpr uint32_t kMaxGridYZ = 65535;

} // namespace

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

bool DeviceInfo::open(int ordinal, std::string &error) {
  int count = 0;
  Result result = getApi()->cuDeviceGetCount(&count);
  if (!result && (ordinal < 0 || ordinal >= count)) {
    error = "there is no GPU " + std::to_string(ordinal) + ": " +
            std::to_string(count) +
            " are visible\nlook at nvidia-smi and CUDA_VISIBLE_DEVICES";
    return false;
  }
  if (!result)
    result = getApi()->cuDeviceGet(&device, ordinal);
  if (result)
    error = "GPU " + std::to_string(ordinal) +
            " does not open: " + describe(result);
  return !result;
}

int DeviceInfo::get(DeviceAttribute attribute) const {
  int value = 0;
  return getApi()->cuDeviceGetAttribute(&value, attribute, device) ? 0 : value;
}

std::string DeviceInfo::getName() const {
  char text[256] = "";
  return getApi()->cuDeviceGetName(text, sizeof text, device) ? "" : text;
}

Context DeviceInfo::getContext(std::string &error) const {
  static std::mutex mutex;
  static std::vector<Context> contexts;
  std::lock_guard<std::mutex> lock(mutex);
  if (contexts.size() <= static_cast<size_t>(device))
    contexts.resize(device + 1);
  Context &context = contexts[device];
  if (context)
    return context;
  if (Result result = getApi()->cuDevicePrimaryCtxRetain(&context, device)) {
    context = nullptr;
    error = "GPU '" + getName() + "' cannot be used: " + describe(result);
  }
  return context;
}

int mlir::triton_shared::cuda::getCurrentDevice() {
  Device device = 0;
  return getApi()->cuCtxGetDevice(&device) ? 0 : device;
}

bool mlir::triton_shared::cuda::setCurrentDevice(int ordinal,
                                                 std::string &error) {
  DeviceInfo device;
  if (!device.open(ordinal, error))
    return false;
  Context context = device.getContext(error);
  if (!context)
    return false;
  Result result = getApi()->cuCtxSetCurrent(context);
  if (result)
    error = describe(result);
  return !result;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

std::unique_ptr<Kernel> Kernel::load(std::string_view cubin,
                                     const std::string &name,
                                     uint32_t sharedBytes, int ordinal,
                                     std::string &error) {
  DeviceInfo device;
  if (!device.open(ordinal, error))
    return nullptr;
  Context context = device.getContext(error);
  if (!context)
    return nullptr;
  ContextGuard guard(context);
  if (guard.result) {
    error = describe(guard.result);
    return nullptr;
  }
  std::unique_ptr<Kernel> kernel(
      new Kernel(name, sharedBytes, ordinal, context));
  // The driver reads up to the end that the ELF header tells, at an address
  // that is aligned for it.
  std::vector<uint64_t> image((cubin.size() + 15) / 8);
  std::copy(cubin.begin(), cubin.end(), reinterpret_cast<char *>(image.data()));
  if (!kernel->loadModule(image.data(), error) ||
      !kernel->reserveShared(device, error))
    return nullptr;
  return kernel;
}

bool Kernel::loadModule(const void *image, std::string &error) {
  char log[4096] = "";
  Result result = tritonSharedLoadFunction(getApi(), image, name.c_str(), log,
                                           sizeof log, &module, &function);
  if (result) {
    log[sizeof log - 1] = '\0';
    error = "kernel '" + name + "' " +
            (module ? "is not in its cubin" : "does not load") + " on GPU " +
            std::to_string(ordinal) + ": " + describe(result);
    if (*log)
      error += std::string("\nthe driver's log: ") + log;
  }
  return !result;
}

bool Kernel::reserveShared(const DeviceInfo &device, std::string &error) {
  maxThreads = getAttribute(MaxThreadsOfFunction);
  uint32_t fixed = getAttribute(StaticSharedBytes);
  uint32_t most = device.get(MaxSharedMemoryPerBlockOptIn);
  if (sharedBytes + fixed > most) {
    error = "kernel '" + name + "' needs " +
            std::to_string(sharedBytes + fixed) +
            " bytes of shared memory, a block of GPU '" + device.getName() +
            "' has " + std::to_string(most) +
            "\nuse smaller blocks, or fewer stages (num_stages)";
    return false;
  }
  Result result = tritonSharedReserveShared(getApi(), function, sharedBytes);
  if (result)
    error = "kernel '" + name + "' cannot have " + std::to_string(sharedBytes) +
            " bytes of shared memory: " + describe(result);
  return !result;
}

Kernel::~Kernel() {
  if (!module)
    return;
  // At the end of a process the driver may be gone already, and says so.
  ContextGuard guard(context);
  if (!guard.result)
    getApi()->cuModuleUnload(module);
}

int Kernel::getAttribute(FunctionAttribute attribute) const {
  int value = 0;
  return getApi()->cuFuncGetAttribute(&value, attribute, function) ? 0 : value;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

bool Kernel::launch(void *const *arguments, const KernelLaunch &launch,
                    std::string &error) const {
  if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0)
    return true;
  if (!check(launch, error))
    return false;
  Result result = submit(arguments, launch);
  if (result)
    error = describeLaunch(launch) + " failed: " + describe(result);
  return !result;
}

bool Kernel::check(const KernelLaunch &launch, std::string &error) const {
  if (launch.grid[0] <= kMaxGridX && launch.grid[1] <= kMaxGridYZ &&
      launch.grid[2] <= kMaxGridYZ &&
      launch.threads * launch.programs <= maxThreads)
    return true;
  if (launch.threads * launch.programs > maxThreads) {
    error = describeLaunch(launch) + " is not possible: with its registers, " +
            "the kernel can have " + std::to_string(maxThreads) +
            " threads at most\nuse fewer warps (num_warps)";
    return false;
  }
  error = describeLaunch(launch) +
          " is not possible: a grid has at most 2147483647 programs in x and "
          "65535 in y and in z\nput the largest dimension first, or fold two "
          "dimensions into one";
  return false;
}

Result Kernel::submit(void *const *arguments,
                      const KernelLaunch &launch) const {
  ContextGuard guard(context);
  if (guard.result)
    return guard.result;
  return tritonSharedLaunch(getApi(), function, sharedBytes, &launch,
                            const_cast<void **>(arguments));
}

bool Kernel::encode(const TritonSharedTensorMapRecipe &recipe,
                    const TritonSharedMapValues &values,
                    TritonSharedTensorMap &map, std::string &error) const {
  ContextGuard guard(context);
  Result result = guard.result;
  if (!result)
    result = tritonSharedEncodeTensorMap(getApi(), &recipe, &values, &map);
  if (result)
    error = "GPU " + std::to_string(ordinal) +
            " does not copy from argument '" + recipe.base.name +
            "' of kernel '" + name + "' by TMA: " + describe(result);
  return !result;
}

std::string Kernel::describeLaunch(const KernelLaunch &launch) const {
  return "launching kernel '" + name + "' with grid (" +
         std::to_string(launch.grid[0]) + ", " +
         std::to_string(launch.grid[1]) + ", " +
         std::to_string(launch.grid[2]) + "), " +
         std::to_string(launch.threads) + " threads per program and " +
         std::to_string(sharedBytes) + " bytes of shared memory on GPU " +
         std::to_string(ordinal);
}
