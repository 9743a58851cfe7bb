//===- Processors.cpp - Where the threads of a launch run -----------------===//

#include "Processors.h"

#include <sched.h>

using namespace mlir::triton_shared;

bool Processors::mark(unsigned number) {
  uint64_t bit = uint64_t(1) << number % 64;
  return !(taken[number / 64].fetch_or(bit) & bit);
}

bool Processors::isMarked(unsigned number) const {
  return taken[number / 64] >> number % 64 & 1;
}

void Processors::take() {
  static_assert(CPU_SETSIZE == kMost);
  int own = sched_getcpu();
  if (own < 0 || own >= CPU_SETSIZE || mark(own))
    return;
  cpu_set_t allowed, others;
  if (sched_getaffinity(/*pid=*/0, sizeof(allowed), &allowed))
    return;
  CPU_ZERO(&others);
  for (unsigned number = 0; number < kMost; ++number)
    if (CPU_ISSET(number, &allowed) && !isMarked(number))
      CPU_SET(number, &others);
  // The first call returns when the thread has moved, and the second one does
  // not move it back.
  if (CPU_COUNT(&others) == 0 ||
      sched_setaffinity(/*pid=*/0, sizeof(others), &others))
    return;
  if (int now = sched_getcpu(); now >= 0 && now < CPU_SETSIZE)
    mark(now);
  sched_setaffinity(/*pid=*/0, sizeof(allowed), &allowed);
}
