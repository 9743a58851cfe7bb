//===- CudaApi.h - The CUDA driver of this process --------------*- C++ -*-===//
//
// Opens the driver once, and puts its errors into words. Which functions it has
// stands in cuda/driver.h.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_CUDAAPI_H
#define TRITON_SHARED_RUNTIME_CUDAAPI_H

#include "cuda/driver.h"

#include <string>

namespace mlir::triton_shared::cuda {

using Result = int; // CUresult; 0 is success
using Device = int; // CUdevice
using Context = CUcontext;
using Module = CUmodule;
using Function = CUfunction;
using Stream = CUstream;
using Api = TritonSharedDriver;

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
