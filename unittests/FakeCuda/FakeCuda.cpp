//===- FakeCuda.cpp - A CUDA driver that only writes down -----------------===//
//
// A library with the functions of libcuda.so.1 that the launcher uses, for
// machines without a GPU: it keeps what it was asked for as lines of text. A
// launch is written with the bytes of every parameter, whose sizes come from
// the cubin, as in the real driver. Tests choose it with TRITON_SHARED_LIBCUDA
// and talk to it through the functions `fakeCuda…`.
//
// FAKE_CUDA_DEVICES is the number of GPUs (2), FAKE_CUDA_INIT the result of
// `cuInit`.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum : int {
  Success = 0,
  InvalidValue = 1,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NotFound = 500,
};

struct Context {
  int device;
};

struct Function {
  std::string name;
  std::vector<size_t> parameterSizes;
  int dynamicShared = 48 * 1024;
};

struct Module {
  Function function;
};

struct Driver {
  std::mutex mutex;
  std::string log;
  std::map<std::string, int> failures;
  std::vector<std::unique_ptr<Context>> contexts;
  bool isInitialized = false;
};

Driver &driver() {
  static auto *driver = new Driver();
  return *driver;
}

thread_local Context *currentContext = nullptr;

int countDevices() {
  const char *text = std::getenv("FAKE_CUDA_DEVICES");
  return text ? std::atoi(text) : 2;
}

/// Writes a line, and answers with the failure that a test has ordered.
int record(const std::string &function, const std::string &details = "") {
  std::lock_guard<std::mutex> lock(driver().mutex);
  driver().log += function + (details.empty() ? "" : " " + details) + "\n";
  auto found = driver().failures.find(function);
  return found == driver().failures.end() ? Success : found->second;
}

//===----------------------------------------------------------------------===//
// Cubins
//===----------------------------------------------------------------------===//

/// The parameters of a kernel, from the attributes that ptxas leaves in
/// section `.nv.info.<kernel>`: a record of kind 0x17 for each.
std::vector<size_t> readParameterSizes(const uint8_t *info, size_t size) {
  std::map<uint16_t, size_t> sizes;
  for (size_t at = 0; at + 4 <= size;) {
    uint8_t format = info[at], kind = info[at + 1];
    uint16_t length = 0;
    std::memcpy(&length, info + at + 2, 2);
    if (format == 4 && kind == 0x17 && at + 16 <= size) {
      uint16_t ordinal = 0;
      uint32_t word = 0;
      std::memcpy(&ordinal, info + at + 8, 2);
      std::memcpy(&word, info + at + 12, 4);
      sizes[ordinal] = word >> 18;
    }
    at += 4 + (format == 4 ? length : 0);
  }
  std::vector<size_t> result;
  for (auto [ordinal, bytes] : sizes)
    result.push_back(bytes);
  return result;
}

bool readElf(const uint8_t *image, const std::string &name,
             std::vector<size_t> &sizes) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), image + header.e_shoff,
              sections.size() * sizeof(Elf64_Shdr));
  const char *names = reinterpret_cast<const char *>(image) +
                      sections[header.e_shstrndx].sh_offset;
  bool isFound = false;
  for (const Elf64_Shdr &section : sections) {
    std::string title = names + section.sh_name;
    isFound |= title == ".text." + name;
    if (title == ".nv.info." + name)
      sizes = readParameterSizes(image + section.sh_offset, section.sh_size);
  }
  return isFound;
}

/// "FAKE add 8 8 4": the name of a kernel and the sizes of its parameters.
bool readText(const char *image, const std::string &name,
              std::vector<size_t> &sizes) {
  std::istringstream stream(image);
  std::string magic, kernel;
  stream >> magic >> kernel;
  for (size_t size; stream >> size;)
    sizes.push_back(size);
  return kernel == name;
}

bool isElf(const void *image) { return !std::memcmp(image, "\177ELF", 4); }
bool isText(const void *image) { return !std::memcmp(image, "FAKE", 4); }

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

struct LaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  void *stream;
  const char *attributes;
  unsigned attributeCount;
};

std::string toHex(const void *data, size_t size) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    uint8_t byte = static_cast<const uint8_t *>(data)[i];
    text += {digits[byte >> 4], digits[byte & 15]};
  }
  return text;
}

std::string describe(const LaunchConfig &config, const Function &function,
                     void **arguments) {
  std::ostringstream text;
  text << function.name << " grid=" << config.grid[0] << "," << config.grid[1]
       << "," << config.grid[2] << " block=" << config.block[0] << ","
       << config.block[1] << "," << config.block[2]
       << " shared=" << config.sharedBytes
       << " stream=" << reinterpret_cast<uintptr_t>(config.stream)
       << " device=" << (currentContext ? currentContext->device : -1)
       << " attributes=";
  constexpr size_t attributeSize = 72;
  for (unsigned i = 0; i < config.attributeCount; ++i) {
    int words[3];
    std::memcpy(words, config.attributes + i * attributeSize, sizeof words);
    text << (i ? "," : "") << words[0] << ":" << words[2];
  }
  text << " args=";
  for (size_t i = 0; i < function.parameterSizes.size(); ++i)
    text << (i ? "," : "") << toHex(arguments[i], function.parameterSizes[i]);
  return text.str();
}

} // namespace

//===----------------------------------------------------------------------===//
// What tests call
//===----------------------------------------------------------------------===//

/// The lines since the last call; valid until the next one.
FAKE_EXPORT const char *fakeCudaTakeLog() {
  static std::string taken;
  std::lock_guard<std::mutex> lock(driver().mutex);
  taken = std::exchange(driver().log, "");
  return taken.c_str();
}

/// From now on `function` returns `result`; zero makes it work again.
FAKE_EXPORT void fakeCudaFail(const char *function, int result) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  driver().failures[function] = result;
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

FAKE_EXPORT int cuInit(unsigned) {
  const char *text = std::getenv("FAKE_CUDA_INIT");
  int result = text ? std::atoi(text) : Success;
  driver().isInitialized = result == Success;
  return result;
}

FAKE_EXPORT int cuGetErrorName(int result, const char **name) {
  static const std::map<int, const char *> names = {
      {InvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {NotInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
      {NoDevice, "CUDA_ERROR_NO_DEVICE"},
      {InvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
      {InvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
      {NotFound, "CUDA_ERROR_NOT_FOUND"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  auto found = names.find(result);
  *name = found == names.end() ? nullptr : found->second;
  return *name ? Success : InvalidValue;
}

FAKE_EXPORT int cuGetErrorString(int, const char **text) {
  *text = "as the test ordered";
  return Success;
}

FAKE_EXPORT int cuDriverGetVersion(int *version) {
  *version = 13000;
  return Success;
}

FAKE_EXPORT int cuDeviceGetCount(int *count) {
  *count = countDevices();
  return record("cuDeviceGetCount");
}

FAKE_EXPORT int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal < countDevices() ? Success : InvalidDevice;
}

FAKE_EXPORT int cuDeviceGetName(char *name, int size, int device) {
  std::string text = "Fake GPU " + std::to_string(device);
  std::strncpy(name, text.c_str(), size);
  return Success;
}

FAKE_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int) {
  static const std::map<int, int> values = {
      {1, 1024}, {10, 32}, {12, 65536}, {13, 1980000},
      {16, 132}, {36, 0},  {37, 6144},  {38, 60 << 20},
      {75, 9},   {76, 0},  {97, 232448}};
  auto found = values.find(attribute);
  *value = found == values.end() ? 0 : found->second;
  return found == values.end() ? InvalidValue : Success;
}

FAKE_EXPORT int cuDevicePrimaryCtxRetain(Context **context, int device) {
  if (!driver().isInitialized)
    return NotInitialized;
  auto &contexts = driver().contexts;
  if (contexts.size() <= static_cast<size_t>(device))
    contexts.resize(device + 1);
  if (!contexts[device])
    contexts[device] = std::make_unique<Context>(Context{device});
  *context = contexts[device].get();
  return record("cuDevicePrimaryCtxRetain", std::to_string(device));
}

FAKE_EXPORT int cuCtxGetCurrent(Context **context) {
  *context = currentContext;
  return Success;
}

FAKE_EXPORT int cuCtxSetCurrent(Context *context) {
  currentContext = context;
  return record("cuCtxSetCurrent",
                context ? std::to_string(context->device) : "none");
}

FAKE_EXPORT int cuCtxGetDevice(int *device) {
  if (!currentContext)
    return InvalidContext;
  *device = currentContext->device;
  return Success;
}

FAKE_EXPORT int cuModuleLoadDataEx(Module **module, const void *image,
                                   unsigned count, int *options,
                                   void **values) {
  if (!currentContext)
    return InvalidContext;
  constexpr int errorLog = 5, errorLogSize = 6;
  if (!isElf(image) && !isText(image)) {
    size_t size = 0;
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == errorLogSize)
        size = reinterpret_cast<size_t>(values[i]);
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == errorLog)
        std::strncpy(static_cast<char *>(values[i]), "this is no cubin", size);
    return InvalidImage;
  }
  auto loaded = std::make_unique<Module>();
  // Which kernel is asked for comes later: the image is read then.
  size_t size = std::strlen(static_cast<const char *>(image)) + 1;
  if (isElf(image)) {
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    size = std::max(header.e_shoff + header.e_shnum * header.e_shentsize,
                    header.e_phoff + header.e_phnum * header.e_phentsize);
  }
  loaded->function.name.assign(static_cast<const char *>(image), size);
  *module = loaded.release();
  return record("cuModuleLoadDataEx", std::to_string(currentContext->device));
}

FAKE_EXPORT int cuModuleUnload(Module *module) {
  int result = record("cuModuleUnload", module->function.name);
  delete module;
  return result;
}

FAKE_EXPORT int cuModuleGetFunction(Function **function, Module *module,
                                    const char *name) {
  const std::string image = module->function.name;
  std::vector<size_t> sizes;
  bool isFound = isElf(image.data())
                     ? readElf(reinterpret_cast<const uint8_t *>(image.data()),
                               name, sizes)
                     : readText(image.c_str(), name, sizes);
  module->function.name = name;
  if (!isFound)
    return NotFound;
  module->function.parameterSizes = std::move(sizes);
  *function = &module->function;
  return record("cuModuleGetFunction", name);
}

FAKE_EXPORT int cuFuncGetAttribute(int *value, int attribute, Function *) {
  constexpr int maxThreads = 0, registers = 4;
  *value = attribute == maxThreads ? 1024 : attribute == registers ? 40 : 0;
  return Success;
}

FAKE_EXPORT int cuFuncSetAttribute(Function *function, int attribute,
                                   int value) {
  constexpr int maxDynamicShared = 8;
  if (attribute == maxDynamicShared)
    function->dynamicShared = value;
  return record("cuFuncSetAttribute",
                std::to_string(attribute) + "=" + std::to_string(value));
}

FAKE_EXPORT int cuFuncSetCacheConfig(Function *, int config) {
  return record("cuFuncSetCacheConfig", std::to_string(config));
}

FAKE_EXPORT int cuLaunchKernelEx(const LaunchConfig *config, Function *function,
                                 void **arguments, void **) {
  if (!currentContext)
    return InvalidContext;
  if (static_cast<int>(config->sharedBytes) > function->dynamicShared)
    return InvalidValue;
  return record("cuLaunchKernelEx", describe(*config, *function, arguments));
}

/// The map is a number, and what it was made of is in the log, in the order of
/// the driver's parameters; as in the real driver, a map that is not
/// aligned is refused.
FAKE_EXPORT int cuTensorMapEncodeTiled(void *map, int type, unsigned rank,
                                       void *address, const uint64_t *sizes,
                                       const uint64_t *strides,
                                       const unsigned *box,
                                       const unsigned *steps, int interleave,
                                       int swizzle, int promotion, int fill) {
  static std::atomic<uint64_t> count{0};
  if (reinterpret_cast<uintptr_t>(map) % 64)
    return InvalidValue;
  std::ostringstream text;
  auto list = [&](const char *name, const auto *numbers, unsigned size) {
    text << " " << name << "=";
    for (unsigned i = 0; i < size; ++i)
      text << (i ? "," : "") << numbers[i];
  };
  text << "type=" << type
       << " address=" << reinterpret_cast<uintptr_t>(address);
  list("sizes", sizes, rank);
  list("strides", strides, rank - 1);
  list("box", box, rank);
  list("steps", steps, rank);
  text << " interleave=" << interleave << " swizzle=" << swizzle
       << " promotion=" << promotion << " fill=" << fill;
  uint64_t words[16] = {++count};
  std::memcpy(map, words, sizeof words);
  text << " map=" << toHex(map, sizeof words[0]);
  return record("cuTensorMapEncodeTiled", text.str());
}
