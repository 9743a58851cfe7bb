//===- CudaApi.h - The CUDA driver, opened at run time ----------*- C++ -*-===//
//
// The few types and functions of the CUDA driver API that launching needs,
// declared here and found with dlopen: neither building nor importing needs
// CUDA. The declarations follow CUDA 12; `_v2` is the ABI of today.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_CUDAAPI_H
#define TRITON_SHARED_RUNTIME_CUDAAPI_H

#include <cstddef>
#include <string>

namespace mlir::triton_shared::cuda {

using Result = int; // CUresult; 0 is success
using Device = int; // CUdevice
using Context = struct ContextHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Stream = struct StreamHandle *;

enum DeviceAttribute {
  MaxThreadsPerBlock = 1,
  WarpSize = 10,
  MaxRegistersPerBlock = 12,
  ClockRate = 13,
  MultiprocessorCount = 16,
  MemoryClockRate = 36,
  MemoryBusWidth = 37,
  L2CacheSize = 38,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryPerBlockOptIn = 97,
};

enum FunctionAttribute {
  MaxThreadsOfFunction = 0,
  StaticSharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
};

enum CacheConfig { PreferShared = 1 };

enum JitOption { ErrorLogBuffer = 5, ErrorLogBufferSize = 6 };

enum LaunchAttributeId {
  Cooperative = 2,
  ProgrammaticStreamSerialization = 6,
};

struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[4];
  union {
    char bytes[64];
    int flag; // of both attributes above
    void *alignment;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72, "CUlaunchAttribute of cuda.h");

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56, "CUlaunchConfig of cuda.h");

/// The functions, by their names in the driver without `cu`.
struct Api {
  Result (*Init)(unsigned flags);
  Result (*GetErrorName)(Result, const char **);
  Result (*GetErrorString)(Result, const char **);
  Result (*DriverGetVersion)(int *);
  Result (*DeviceGetCount)(int *);
  Result (*DeviceGet)(Device *, int ordinal);
  Result (*DeviceGetName)(char *, int size, Device);
  Result (*DeviceGetAttribute)(int *, int attribute, Device);
  Result (*DevicePrimaryCtxRetain)(Context *, Device);
  Result (*CtxGetCurrent)(Context *);
  Result (*CtxSetCurrent)(Context);
  Result (*CtxGetDevice)(Device *);
  Result (*ModuleLoadDataEx)(Module *, const void *image, unsigned count,
                             int *options, void **values);
  Result (*ModuleUnload)(Module);
  Result (*ModuleGetFunction)(Function *, Module, const char *name);
  Result (*FuncGetAttribute)(int *, int attribute, Function);
  Result (*FuncSetAttribute)(Function, int attribute, int value);
  Result (*FuncSetCacheConfig)(Function, int config);
  Result (*LaunchKernelEx)(const LaunchConfig *, Function, void **arguments,
                           void **extra);
};

/// Opens the driver library at `path` (empty: libcuda.so.1) and initialises
/// it. Opens once: later calls return what the first success found, and a
/// failure is tried again. Returns null and fills `error` if there is none.
const Api *openApi(const std::string &path, std::string &error);

/// The driver that is open; null before.
const Api *getApi();

/// "CUDA_ERROR_…: the driver's words", and a line with what to do about it if
/// there is something to say.
std::string describe(Result result);

} // namespace mlir::triton_shared::cuda

#endif // TRITON_SHARED_RUNTIME_CUDAAPI_H
