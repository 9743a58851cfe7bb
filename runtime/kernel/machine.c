/*===- machine.c - What a kernel may ask the machine ----------------------===*/

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for sched_getcpu */
#endif

#include "kernel.h"

#include <sched.h>
#include <sys/syscall.h>
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

TRITON_SHARED_WEAK int32_t tritonSharedMayUseMatrixTiles(void) {
#if defined(__x86_64__)
  /* ARCH_REQ_XCOMP_PERM of asm/prctl.h, and what it is asked for. Linux says no
     if a thread has a stack for signals that would become too small. */
  enum { requestPermission = 0x1023, dataOfTiles = 18 };
  enum { notAsked, refused, granted };
  static int32_t known = notAsked;
  int32_t answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (answer == notAsked) {
    answer = syscall(SYS_arch_prctl, requestPermission, dataOfTiles) == 0
                 ? granted
                 : refused;
    __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
  }
  return answer == granted;
#else
  return 0;
#endif
}
