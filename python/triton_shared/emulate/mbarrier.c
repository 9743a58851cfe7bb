// Barriers in shared memory (mbarriers), on which threads and copies arrive.

#include "shim.h"
#include <stdio.h>
#include <string.h>

typedef struct {
  uint32_t offset;
  int isLive;
  int count, pending;  // arrivals of threads
  int64_t bytes;       // that are expected, less those that came
  unsigned phase;      // how many are complete
  unsigned copyPhases; // that copies arrived on: after the last of them
  int initThread, initEpoch, initFences;
  uint32_t initTime;
  Clock gathered, known;
} Mbarrier;
static Mbarrier mbarriers[kMaxBarriers];
static int numMbarriers;

enum { kBytes = 8 };

static uint32_t offset_of(uint64_t address) { return address & 0x3FFFF; }

static Mbarrier *find(uint64_t address) {
  uint32_t offset = offset_of(address);
  for (int i = 0; i < numMbarriers; ++i) {
    Mbarrier *barrier = &mbarriers[i];
    if (barrier->offset != offset || !barrier->isLive)
      continue;
    if (!knows(kFirstThread + barrier->initThread, barrier->initEpoch,
               barrier->initTime))
      fail(
          "uses the mbarrier at offset %u of shared memory, which thread %d initialised since the last barrier",
          offset, barrier->initThread);
    return barrier;
  }
  fail(
      "uses offset %u of shared memory as an mbarrier, which nobody has initialised",
      offset);
}

void emu_mbarrier_init_shared(void *place, uint32_t count) {
  uint32_t zeros[2] = {0, 0}, offset = offset_of((uint64_t)place);
  if (!count || count > 0xFFFFF)
    fail("initialises an mbarrier for %u arrivals", count);
  // As a write, it fails where one would.
  emu_access(place, kBytes, kBytes, 3, (const char *)zeros);
  Mbarrier *barrier = 0;
  for (int i = 0; i < numMbarriers; ++i)
    if (mbarriers[i].offset == offset)
      barrier = &mbarriers[i];
  if (!barrier) {
    if (numMbarriers == kMaxBarriers)
      fail("initialises more than %d mbarriers", kMaxBarriers);
    barrier = &mbarriers[numMbarriers++];
    memset(barrier, 0, sizeof(*barrier));
    barrier->offset = offset;
  }
  barrier->isLive = 1;
  barrier->count = barrier->pending = count;
  barrier->initThread = current;
  barrier->initEpoch = epoch;
  barrier->initTime = now();
  barrier->initFences = count_fences();
  // Phases go on counting: parity begins with the number of them even.
  barrier->phase += barrier->phase % 2;
  barrier->bytes = 0;
  for (int i = 0; i < kBytes; ++i)
    shadow[offset + i].isBarrier = 1;
}

void emu_mbarrier_inval_shared(void *place) {
  Mbarrier *barrier = find((uint64_t)place);
  barrier->isLive = 0;
  for (int i = 0; i < kBytes; ++i)
    shadow[barrier->offset + i].isBarrier = 0;
}

static void complete_phase(Mbarrier *barrier) {
  if (barrier->pending || barrier->bytes)
    return;
  ++barrier->phase;
  barrier->pending = barrier->count;
  barrier->known = barrier->gathered;
}

static uint64_t arrive(Mbarrier *barrier, int64_t bytes) {
  if (!barrier->pending)
    fail(
        "arrives at the mbarrier at offset %u of shared memory, for which all %d of its phase came",
        barrier->offset, barrier->count);
  uint64_t phase = barrier->phase;
  barrier->bytes += bytes;
  --barrier->pending;
  release_to(&barrier->gathered);
  complete_phase(barrier);
  ++progress;
  return phase;
}

uint64_t emu_mbarrier_arrive_shared(void *place) {
  return arrive(find((uint64_t)place), 0);
}

uint64_t emu_mbarrier_arrive_expect_tx_scope_cta_space_cta(void *place,
                                                           uint32_t bytes) {
  return arrive(find((uint64_t)place), bytes);
}

void emu_mbarrier_expect_tx_scope_cta_space_cta(void *place, uint32_t bytes) {
  find((uint64_t)place)->bytes += bytes;
}

static int test(Mbarrier *barrier, uint32_t parity) {
  if (barrier->phase % 2 == (parity & 1))
    return 0;
  acquire(&barrier->known);
  ++progress;
  return 1;
}

void emu_mbarrier_wait_parity(uint64_t address, uint32_t parity) {
  static char purposes[kMaxThreads][80];
  Mbarrier *barrier = find(address);
  while (!test(barrier, parity)) {
    snprintf(
        purposes[current], sizeof(purposes[current]),
        "the mbarrier at offset %u (%d arrivals and %ld bytes are missing)",
        barrier->offset, barrier->pending, (long)barrier->bytes);
    pause_fiber(purposes[current]);
  }
}

// One look; a thread that looks again and again lets others run.
static int look(void *place, uint32_t parity) {
  Mbarrier *barrier = find((uint64_t)place);
  if (test(barrier, parity))
    return 1;
  pause_fiber("an mbarrier");
  return test(barrier, parity);
}

int emu_mbarrier_test_wait_parity_scope_cta_space_cta(void *place,
                                                      uint32_t parity) {
  return look(place, parity);
}
int emu_mbarrier_try_wait_parity_scope_cta_space_cta(void *place,
                                                     uint32_t parity) {
  return look(place, parity);
}
int emu_mbarrier_test_wait_scope_cta_space_cta(void *place, uint64_t phase) {
  return look(place, phase);
}
int emu_mbarrier_try_wait_scope_cta_space_cta(void *place, uint64_t phase) {
  return look(place, phase);
}

int begin_transfer(uint64_t address, uint32_t *number) {
  Mbarrier *barrier = find(address);
  if (!knows_fence(barrier->initThread, barrier->initFences))
    fail(
        "copies to the mbarrier at offset %u of shared memory, which thread %d initialised without fence.mbarrier_init or fence.proxy.async after it",
        barrier->offset, barrier->initThread);
  *number = barrier->copyPhases = barrier->phase + 1;
  int slot = kFirstBarrier + (int)(barrier - mbarriers);
  barrier->gathered.times[slot] = *number;
  return slot;
}

void finish_transfer(int slot, int64_t bytes) {
  Mbarrier *barrier = &mbarriers[slot - kFirstBarrier];
  barrier->bytes -= bytes;
  complete_phase(barrier);
  ++progress;
}

void begin_mbarriers(void) { numMbarriers = 0; }

void end_mbarriers(void) {
  for (int i = 0; i < numMbarriers; ++i) {
    const Mbarrier *barrier = &mbarriers[i];
    if (barrier->copyPhases > barrier->phase)
      fail(
          "ends while a copy of TMA to the mbarrier at offset %u of shared memory is under way",
          barrier->offset);
  }
}
