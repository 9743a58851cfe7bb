#include "device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  int (*init)(unsigned);
  int (*get_device)(int *, int);
  int (*retain_context)(void **, int);
  int (*set_context)(void *);
  int (*allocate)(unsigned long long *, size_t);
  int (*copy_in)(unsigned long long, const void *, size_t);
  int (*synchronize)(void);
  int (*copy_out)(void *, unsigned long long, size_t);
  int (*release)(unsigned long long);
} driver;

static void check(int result, const char *what) {
  if (result) {
    fprintf(stderr, "%s: %d\n", what, result);
    exit(77);
  }
}

static void find(void *library, const char *name, void *function) {
  void *found = library ? dlsym(library, name) : NULL;
  check(!found, name);
  memcpy(function, &found, sizeof found);
}

void device_open(void) {
  int device;
  void *context;
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  find(library, "cuInit", &driver.init);
  find(library, "cuDeviceGet", &driver.get_device);
  find(library, "cuDevicePrimaryCtxRetain", &driver.retain_context);
  find(library, "cuCtxSetCurrent", &driver.set_context);
  find(library, "cuMemAlloc_v2", &driver.allocate);
  find(library, "cuMemcpyHtoD_v2", &driver.copy_in);
  find(library, "cuCtxSynchronize", &driver.synchronize);
  find(library, "cuMemcpyDtoH_v2", &driver.copy_out);
  find(library, "cuMemFree_v2", &driver.release);
  check(driver.init(0), "cuInit");
  check(driver.get_device(&device, 0), "cuDeviceGet");
  check(driver.retain_context(&context, device), "cuDevicePrimaryCtxRetain");
  check(driver.set_context(context), "cuCtxSetCurrent");
}

unsigned long long device_copy(const void *host, size_t bytes) {
  unsigned long long memory;
  check(driver.allocate(&memory, bytes), "cuMemAlloc");
  check(driver.copy_in(memory, host, bytes), "cuMemcpyHtoD");
  return memory;
}

void device_take(void *host, unsigned long long memory, size_t bytes) {
  check(driver.synchronize(), "cuCtxSynchronize");
  check(driver.copy_out(host, memory, bytes), "cuMemcpyDtoH");
  check(driver.release(memory), "cuMemFree");
}
