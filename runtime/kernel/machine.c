/*===- machine.c - What a kernel may ask the machine ----------------------===*/

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for sched_getcpu */
#endif

#include "kernel.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

TRITON_SHARED_WEAK int64_t tritonSharedClockNanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

TRITON_SHARED_WEAK int64_t tritonSharedProcessorNumber(void) {
  int number = sched_getcpu();
  return number < 0 ? 0 : number;
}

TRITON_SHARED_WEAK int64_t tritonSharedProcessorCount(void) {
  long count = sysconf(_SC_NPROCESSORS_CONF);
  return count < 1 ? 1 : count;
}
