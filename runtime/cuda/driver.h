/*===- driver.h - The CUDA driver, found at run time --------------*- C -*-===*\
|*                                                                            *|
|* The functions of the CUDA driver that launching needs, in one list, and    *|
|* the types that they take. They are found with dlopen: neither building nor *|
|* importing needs CUDA. The declarations follow CUDA 12; `_v2` is the ABI of *|
|* today. It is C11, and C++ as well: the runtime includes it, and launchers  *|
|* made ahead of time have a copy, which is why all of it is static.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TRITON_SHARED_RUNTIME_CUDA_DRIVER_H
#define TRITON_SHARED_RUNTIME_CUDA_DRIVER_H

#include <assert.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* As in cuda.h, which may be there as well. */
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;

/* CUlaunchAttribute */
struct TritonSharedLaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int flag;
    void *alignment;
  } value;
};
static_assert(sizeof(struct TritonSharedLaunchAttribute) == 72, "as in cuda.h");

/* CUlaunchConfig */
struct TritonSharedLaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  CUstream stream;
  struct TritonSharedLaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(struct TritonSharedLaunchConfig) == 56, "as in cuda.h");

/* FUNCTION(name, parameters); all give a CUresult. */
#define TRITON_SHARED_DRIVER_FUNCTIONS(FUNCTION)                               \
  FUNCTION(cuInit, (unsigned flags))                                           \
  FUNCTION(cuGetErrorName, (int result, const char **name))                    \
  FUNCTION(cuGetErrorString, (int result, const char **words))                 \
  FUNCTION(cuDriverGetVersion, (int *version))                                 \
  FUNCTION(cuDeviceGetCount, (int *count))                                     \
  FUNCTION(cuDeviceGet, (int *device, int ordinal))                            \
  FUNCTION(cuDeviceGetName, (char *name, int size, int device))                \
  FUNCTION(cuDeviceGetAttribute, (int *value, int attribute, int device))      \
  FUNCTION(cuDevicePrimaryCtxRetain, (CUcontext * context, int device))        \
  FUNCTION(cuCtxGetCurrent, (CUcontext * context))                             \
  FUNCTION(cuCtxSetCurrent, (CUcontext context))                               \
  FUNCTION(cuCtxGetDevice, (int *device))                                      \
  FUNCTION(cuModuleLoadDataEx, (CUmodule * module, const void *image,          \
                                unsigned count, int *options, void **values))  \
  FUNCTION(cuModuleUnload, (CUmodule module))                                  \
  FUNCTION(cuModuleGetFunction,                                                \
           (CUfunction * function, CUmodule module, const char *name))         \
  FUNCTION(cuFuncGetAttribute,                                                 \
           (int *value, int attribute, CUfunction function))                   \
  FUNCTION(cuFuncSetAttribute,                                                 \
           (CUfunction function, int attribute, int value))                    \
  FUNCTION(cuFuncSetCacheConfig, (CUfunction function, int config))            \
  FUNCTION(cuLaunchKernelEx,                                                   \
           (const struct TritonSharedLaunchConfig *config,                     \
            CUfunction function, void **arguments, void **extra))              \
  FUNCTION(cuTensorMapEncodeTiled,                                             \
           (void *map, int type, uint32_t rank, void *address,                 \
            const uint64_t *sizes, const uint64_t *strides,                    \
            const uint32_t *box, const uint32_t *steps, int interleave,        \
            int swizzle, int promotion, int fill))

/* The functions, as they lie in the library. */
struct TritonSharedDriver {
#define TRITON_SHARED_MEMBER(name, parameters) int(*name) parameters;
  TRITON_SHARED_DRIVER_FUNCTIONS(TRITON_SHARED_MEMBER)
#undef TRITON_SHARED_MEMBER
};

/* Opens the library at `path` (null or empty: libcuda.so.1), for the life of
   the process, and fills `driver`. Returns zero if there is no such library or
   it lacks a function; `text` then says why, cut off after `capacity`. */
static inline int tritonSharedFindDriver(const char *path,
                                         struct TritonSharedDriver *driver,
                                         char *text, size_t capacity) {
  static const struct {
    const char *name;
    size_t place;
  } functions[] = {
#define TRITON_SHARED_ENTRY(name, parameters)                                  \
  {#name, offsetof(struct TritonSharedDriver, name)},
      TRITON_SHARED_DRIVER_FUNCTIONS(TRITON_SHARED_ENTRY)
#undef TRITON_SHARED_ENTRY
  };
  const char *file = path && *path ? path : "libcuda.so.1";
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  size_t i;
  if (!library) {
    snprintf(text, capacity,
             "the CUDA driver does not load: %s\n"
             "install the NVIDIA driver, or point TRITON_SHARED_LIBCUDA at its "
             "libcuda.so.1; kernels run without it on device \"cpu\"",
             dlerror());
    return 0;
  }
  for (i = 0; i < sizeof functions / sizeof *functions; ++i) {
    void *found = dlsym(library, functions[i].name);
    if (!found) {
      snprintf(text, capacity,
               "the CUDA driver '%s' cannot be used: it lacks the function "
               "'%s'\nupdate the NVIDIA driver: CUDA 12 or newer is needed",
               file, functions[i].name);
      return 0;
    }
    memcpy((char *)driver + functions[i].place, &found, sizeof found);
  }
  return 1;
}

#endif /* TRITON_SHARED_RUNTIME_CUDA_DRIVER_H */
