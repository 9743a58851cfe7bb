/*===- scratch.c - Where programs keep their buffers ----------------------===*\
|*                                                                            *|
|* One area for each thread, which grows to what the largest kernel needs and *|
|* stays until the thread ends: a launch takes no memory from the system. Its *|
|* size stands before it, in a cache line of its own.                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "kernel.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_key_t tritonSharedScratchKey;
static pthread_once_t tritonSharedScratchOnce = PTHREAD_ONCE_INIT;

static void tritonSharedMakeScratchKey(void) {
  if (pthread_key_create(&tritonSharedScratchKey, free))
    abort();
}

TRITON_SHARED_WEAK void *tritonSharedExchangeScratch(void *area) {
  void *before;
  pthread_once(&tritonSharedScratchOnce, tritonSharedMakeScratchKey);
  before = pthread_getspecific(tritonSharedScratchKey);
  if (pthread_setspecific(tritonSharedScratchKey, area))
    abort();
  return before;
}

TRITON_SHARED_WEAK void *tritonSharedScratch(int64_t bytes) {
  enum { line = 64 };
  char *area;
  pthread_once(&tritonSharedScratchOnce, tritonSharedMakeScratchKey);
  area = (char *)pthread_getspecific(tritonSharedScratchKey);
  if (!area || *(int64_t *)(void *)area < bytes) {
    free(area);
    area = (char *)aligned_alloc(line, line + ((size_t)bytes + line - 1) /
                                                  line * line);
    if (!area || pthread_setspecific(tritonSharedScratchKey, area)) {
      fprintf(stderr, "no memory for the buffers of a kernel\n");
      abort();
    }
    *(int64_t *)(void *)area = bytes;
  }
  return area + line;
}
