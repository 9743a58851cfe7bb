// What threads know of each other: barriers among all, or among some threads,
// and fences. A thread may touch what another one has touched if it knows.

#include "shim.h"
#include <stdlib.h>
#include <string.h>

enum { kNamed = 16 };

// A barrier among all threads (`epoch` counts those), a warp, or `count`.
typedef struct {
  int count, arrived;
  unsigned phase;
  Clock gathered, known[2]; // of even and of odd phases
} Barrier;

typedef struct {
  int epoch;
  uint32_t time;
} Event;

// Fences of the asynchronous proxy.
typedef struct {
  Event *events;
  int count, room;
} Fences;

Clock clocks[kMaxThreads];
static uint32_t finished[kMaxThreads]; // products, by who waited for them
static Barrier named[kNamed], warps[kMaxThreads / kWarp];
static Fences fences[kMaxThreads];
static Clock fenced[kMaxThreads]; // what each knew at its last fence
static int fencedEpoch[kMaxThreads];
static uint32_t gathered[kFirstThread], known[kFirstThread];
static int arrived;
static Clock common; // what the threads of a collective all know
static int isCollective, collectiveFirst, collectiveCount;

uint32_t now(void) { return clocks[current].times[kFirstThread + current]; }

int knows(int slot, int inEpoch, uint32_t time) {
  // A barrier says nothing of what goes on without threads.
  if (slot >= kFirstThread && inEpoch < epoch)
    return 1;
  if (isCollective)
    return common.times[slot] >= time;
  return slot == kFirstThread + current || clocks[current].times[slot] >= time;
}

static void join(uint32_t *to, const uint32_t *from, int count) {
  for (int i = 0; i < count; ++i)
    to[i] = to[i] < from[i] ? from[i] : to[i];
}

void begin_collective(int first, int count) {
  common = clocks[first];
  for (int i = first + 1; i < first + count; ++i)
    for (int slot = 0; slot < kFirstThread + numThreads; ++slot)
      if (clocks[i].times[slot] < common.times[slot])
        common.times[slot] = clocks[i].times[slot];
  isCollective = 1;
  collectiveFirst = first;
  collectiveCount = count;
}

void end_collective(void) { isCollective = 0; }

static void learn(int slot, uint32_t time) {
  uint32_t *known = &clocks[current].times[slot];
  *known = *known < time ? time : *known;
}

// Who meets others knows, as they do, that the products it waited for are done:
// so do pipelines count on one thread of a warpgroup to free what all read.
static void tell(void) {
  int group = current / kWarpgroup, warps = kWarpgroup / kWarp;
  learn(group, finished[current]);
  for (int i = 0; i < warps; ++i)
    learn(kFirstWarp + group * warps + i, finished[current]);
}

void wait_for_products(uint32_t number) {
  finished[current] = number;
  learn(kFirstWarp + current / kWarp, number);
}

void release_to(Clock *to) {
  tell();
  join(to->times, clocks[current].times, kFirstThread + numThreads);
  ++clocks[current].times[kFirstThread + current];
}

void acquire(const Clock *from) {
  join(clocks[current].times, from->times, kFirstThread + numThreads);
}

int count_fences(void) { return fences[current].count; }

static void fence_proxy(void) {
  Fences *own = &fences[current];
  if (own->count == own->room) {
    own->room = 2 * own->room + 16;
    own->events = realloc(own->events, own->room * sizeof(Event));
  }
  own->events[own->count++] = (Event){epoch, now()};
  memcpy(fenced[current].times, clocks[current].times,
         (kFirstThread + numThreads) * sizeof(uint32_t));
  fencedEpoch[current] = epoch;
}
void emu_fence_proxy_async(void) { fence_proxy(); }
// Memory of tensors is one for all ways into it.
void emu_fence_proxy_async_global(void) {}
void emu_fence_proxy_async_shared_cta(void) { fence_proxy(); }
void emu_fence_mbarrier_init_release_cluster(void) { fence_proxy(); }

int knows_fence(int thread, int count) {
  const Fences *of = &fences[thread];
  return of->count > count &&
         knows(kFirstThread + thread, of->events[count].epoch,
               of->events[count].time);
}

// Whether `thread` knew of the write when it made its last fence. What it has
// written itself since has the same time.
static int has_fenced(int thread, const Shadow *byte) {
  if (byte->writer == kFirstThread + thread)
    return fences[thread].count > byte->fences;
  return fencedEpoch[thread] > byte->writeEpoch ||
         fenced[thread].times[byte->writer] >= byte->writeTime;
}

int is_fenced(const Shadow *byte) {
  if (knows_fence(byte->writer - kFirstThread, byte->fences))
    return 1;
  int first = isCollective ? collectiveFirst : current;
  int count = isCollective ? collectiveCount : 1;
  for (int i = first; i < first + count; ++i)
    if (!has_fenced(i, byte))
      return 0;
  return 1;
}

static void meet_all(void) {
  tell();
  join(gathered, clocks[current].times, kFirstThread);
  int before = epoch;
  if (++arrived == numThreads) {
    arrived = 0;
    ++epoch;
    forget_reads();
    memcpy(known, gathered, sizeof(known));
    memset(gathered, 0, sizeof(gathered));
  }
  while (epoch == before)
    pause_fiber("a barrier");
  join(clocks[current].times, known, kFirstThread);
  ++progress;
}

// Returns the phase to wait for.
static unsigned arrive(Barrier *barrier, int count, const char *name) {
  if (barrier->arrived && barrier->count != count)
    fail("arrives at %s for %d threads, where others wait for %d", name, count,
         barrier->count);
  barrier->count = count;
  release_to(&barrier->gathered);
  unsigned phase = barrier->phase;
  if (++barrier->arrived == count) {
    barrier->arrived = 0;
    ++barrier->phase;
    barrier->known[phase % 2] = barrier->gathered;
    memset(&barrier->gathered, 0, sizeof(Clock));
  }
  ++progress;
  return phase;
}

static void meet(Barrier *barrier, int count, const char *name) {
  unsigned phase = arrive(barrier, count, name);
  while (barrier->phase == phase)
    pause_fiber(name);
  acquire(&barrier->known[phase % 2]);
  ++progress;
}

static Barrier *find(uint32_t id, uint32_t count) {
  if (id >= kNamed)
    fail("takes part in barrier %u of %d", id, kNamed);
  if (count % kWarp || !count || count > (uint32_t)numThreads)
    fail("takes part in a barrier of %u threads, of %d", count, numThreads);
  return &named[id];
}

void emu_barrier_cta_sync_aligned_all(uint32_t id) {
  if (id == 0)
    meet_all();
  else
    meet(find(id, numThreads), numThreads, "a named barrier");
}

void emu_barrier_cta_sync_aligned_count(uint32_t id, uint32_t count) {
  if (id == 0 && count == (uint32_t)numThreads)
    meet_all();
  else
    meet(find(id, count), count, "a named barrier");
}

void emu_bar_arrive(uint32_t id, uint32_t count) {
  arrive(find(id, count), count, "a named barrier");
}

void emu_bar_warp_sync(uint32_t mask) {
  meet(&warps[current / kWarp], __builtin_popcount(mask), "lanes of its warp");
}

void begin_order(void) {
  memset(named, 0, sizeof(named));
  memset(warps, 0, sizeof(warps));
  memset(finished, 0, sizeof(finished));
  memset(gathered, 0, sizeof(gathered));
  arrived = isCollective = 0;
  for (int i = 0; i < numThreads; ++i) {
    memset(&clocks[i], 0, sizeof(clocks[i]));
    clocks[i].times[kFirstThread + i] = 1;
    fences[i].count = 0;
    memset(&fenced[i], 0, sizeof(fenced[i]));
    fencedEpoch[i] = 0;
  }
}
