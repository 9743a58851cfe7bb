/*===- launch.h - Functions of a cubin, and their launches --------*- C -*-===*\
|*                                                                            *|
|* What is the same for every launcher once the driver is open and a context  *|
|* is current: loading a function, asking for its shared memory, putting its  *|
|* grid into a stream. Each gives the driver's CUresult.                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TRITON_SHARED_RUNTIME_CUDA_LAUNCH_H
#define TRITON_SHARED_RUNTIME_CUDA_LAUNCH_H

#include "driver.h"

#include <stdbool.h>
#include <stdint.h>

/* Loads `image` and finds `name` in it. `*module` is null if it is the image
   that does not load; then `log`, if there is one, has the driver's words. */
static inline int
tritonSharedLoadFunction(const struct TritonSharedDriver *driver,
                         const void *image, const char *name, char *log,
                         size_t capacity, CUmodule *module,
                         CUfunction *function) {
  enum { errorLog = 5, errorLogSize = 6 };
  int options[] = {errorLog, errorLogSize};
  void *values[2];
  int result;
  values[0] = log;
  values[1] = (void *)(uintptr_t)capacity;
  *module = NULL;
  result =
      driver->cuModuleLoadDataEx(module, image, log ? 2 : 0, options, values);
  if (result) {
    *module = NULL;
    return result;
  }
  return driver->cuModuleGetFunction(function, *module, name);
}

/* Lets `function` have `bytes` of dynamic shared memory: more than 48 KiB must
   be asked for. */
static inline int
tritonSharedReserveShared(const struct TritonSharedDriver *driver,
                          CUfunction function, uint32_t bytes) {
  enum { preferShared = 1, maxDynamicSharedBytes = 8 };
  int result;
  if (bytes <= 48 * 1024)
    return 0;
  result = driver->cuFuncSetCacheConfig(function, preferShared);
  if (result)
    return result;
  return driver->cuFuncSetAttribute(function, maxDynamicSharedBytes,
                                    (int)bytes);
}

/* How a grid starts. */
struct TritonSharedGridLaunch {
  /* In programs. */
  uint32_t grid[3];
  /* Of a program, and the programs that share a block. */
  uint32_t threads, programs;
  CUstream stream;
  bool isCooperative;
  /* Lets the grid start while the one before it in the stream ends. */
  bool startsEarly;
};

/* Puts the grid into the stream. `arguments[i]` points at the value of
   parameter i. */
static inline int tritonSharedLaunch(const struct TritonSharedDriver *driver,
                                     CUfunction function, uint32_t sharedBytes,
                                     const struct TritonSharedGridLaunch *grid,
                                     void **arguments) {
  enum { cooperative = 2, programmaticStreamSerialization = 6 };
  struct TritonSharedLaunchAttribute attributes[2];
  struct TritonSharedLaunchConfig config;
  unsigned count = 0;
  memset(attributes, 0, sizeof attributes);
  if (grid->isCooperative)
    attributes[count++].id = cooperative;
  if (grid->startsEarly)
    attributes[count++].id = programmaticStreamSerialization;
  attributes[0].value.flag = attributes[1].value.flag = 1;
  config.grid[0] = (grid->grid[0] - 1) / grid->programs + 1;
  config.grid[1] = grid->grid[1];
  config.grid[2] = grid->grid[2];
  config.block[0] = grid->threads;
  config.block[1] = grid->programs;
  config.block[2] = 1;
  config.sharedBytes = sharedBytes;
  config.stream = grid->stream;
  config.attributes = attributes;
  config.attributeCount = count;
  return driver->cuLaunchKernelEx(&config, function, arguments, NULL);
}

#endif /* TRITON_SHARED_RUNTIME_CUDA_LAUNCH_H */
