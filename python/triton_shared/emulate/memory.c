// Memory of the emulated machine: every access is checked, and shared memory
// remembers who touched it since the last barrier.

#include "shim.h"
#include <stdlib.h>
#include <string.h>

// A piece that `cp.async` copies.
typedef struct {
  int group;
  uint64_t offset, source;
  int size, valid; // the rest of the piece becomes zero
  char before[16]; // what the source held when the copy began
} Copy;

typedef struct {
  Copy *pieces;
  int count, room;
  int group; // of pieces that come next
} Copies;
_Alignas(1 << 18) char cta_shared[kMaxShared];
Shadow shadow[kMaxShared];
static Copies copies[kMaxThreads];

// Who read some bytes, in lists.
typedef struct {
  int slot, next;
  uint32_t time;
} Read;

typedef struct {
  Read *reads;
  int count, room;
} Reads;
static Reads threadReads; // of the epoch
static Reads asyncReads;
static int firstAsync[kMaxShared / 16];

void check_global(uint64_t address, int64_t size, int isWrite) {
  for (int i = 0; i < numRegions; ++i)
    if (address >= regions[i].begin && address + size <= regions[i].end)
      return;
  fail("%s %ld bytes outside of every buffer, at %#lx",
       isWrite ? "writes" : "reads", (long)size, (long)address);
}

// Words of which only a part need lie in buffers: an aligned word that holds a
// byte of one is there on a GPU, and an update of 2 bytes may go through it.
// What is not of a buffer reads as zero, and must stay as it is.

int emu_begin_word(uint64_t address, char word[4]) {
  int held = 0;
  memset(word, 0, 4);
  for (int i = 0; i < 4 && address % 4 == 0; ++i)
    for (int j = 0; j < numRegions; ++j)
      if (address + i - regions[j].begin < regions[j].end - regions[j].begin) {
        held |= 1 << i;
        word[i] = ((const char *)address)[i];
      }
  return held;
}

void emu_end_word(uint64_t address, const char word[4], int held) {
  for (int i = 0; i < 4; ++i)
    if (held >> i & 1)
      ((char *)address)[i] = word[i];
    else if (word[i])
      check_global(address + i, 1, 1);
}

static void note_read(Reads *pool, int *first, int slot, uint32_t time) {
  for (int i = *first; i >= 0; i = pool->reads[i].next)
    if (pool->reads[i].slot == slot) {
      pool->reads[i].time = time;
      return;
    }
  if (pool->count == pool->room) {
    pool->room = 2 * pool->room + 1024;
    pool->reads = realloc(pool->reads, pool->room * sizeof(Read));
  }
  pool->reads[pool->count] = (Read){slot, *first, time};
  *first = pool->count++;
}

void forget_reads(void) { threadReads.count = 0; }

static void check_bounds(int64_t offset, int64_t size, const char *verb) {
  if (offset < 0 || offset + size > sharedBytes)
    fail("%s %ld bytes at offset %ld of %ld bytes of shared memory", verb,
         (long)size, (long)offset, (long)sharedBytes);
}

static void check_idle(int64_t offset, const char *verb) {
  const Shadow *byte = &shadow[offset];
  if (byte->copier >= 0)
    fail("%s offset %ld of shared memory, to which thread %d still copies",
         verb, (long)offset, byte->copier);
  if (byte->isBarrier)
    fail("%s offset %ld of shared memory, which belongs to an mbarrier", verb,
         (long)offset);
}

// Whether the current thread knows what lies at `offset`.
static void check_written(int64_t offset, const char *verb) {
  const Shadow *byte = &shadow[offset];
  if (!byte->isWritten)
    fail("%s offset %ld of shared memory, which nobody has written", verb,
         (long)offset);
  if (knows(byte->writer, byte->writeEpoch, byte->writeTime))
    return;
  if (byte->writer < kFirstThread)
    fail(
        "%s offset %ld of shared memory, which a copy of TMA writes, without waiting for its mbarrier",
        verb, (long)offset);
  fail(
      "%s offset %ld of shared memory, which thread %d wrote since the last barrier",
      verb, (long)offset, byte->writer - kFirstThread);
}

// Whether all who read the byte at `offset` have done so.
static void check_unread(int64_t offset, const char *verb) {
  const Shadow *byte = &shadow[offset];
  for (int i = firstAsync[offset / 16]; i >= 0; i = asyncReads.reads[i].next)
    if (!knows(asyncReads.reads[i].slot, epoch, asyncReads.reads[i].time))
      fail("%s offset %ld of shared memory, which %s may still read", verb,
           (long)offset,
           asyncReads.reads[i].slot < kFirstBarrier ? "wgmma"
                                                    : "a store of TMA");
  if (byte->readEpoch != epoch)
    return;
  for (int i = byte->reads; i >= 0; i = threadReads.reads[i].next)
    if (!knows(threadReads.reads[i].slot, epoch, threadReads.reads[i].time))
      fail(
          "%s offset %ld of shared memory, which another thread read since the last barrier",
          verb, (long)offset);
}

static void note_write(int64_t offset) {
  Shadow *byte = &shadow[offset];
  byte->isWritten = 1;
  byte->writeEpoch = epoch;
  byte->writer = kFirstThread + current;
  byte->writeTime = now();
  byte->fences = count_fences();
  byte->isCopied = 0;
}

static void check_shared(uint64_t address, int64_t size, const char *written) {
  int64_t offset = address - (uint64_t)cta_shared;
  const char *verb = written ? "writes" : "reads";
  check_bounds(offset, size, verb);
  for (int64_t i = offset; i < offset + size; ++i) {
    Shadow *byte = &shadow[i];
    check_idle(i, verb);
    if (!written) {
      check_written(i, verb);
      if (byte->readEpoch != epoch)
        byte->reads = -1;
      byte->readEpoch = epoch;
      note_read(&threadReads, &byte->reads, kFirstThread + current, now());
      continue;
    }
    check_unread(i, verb);
    if (byte->isWritten &&
        !knows(byte->writer, byte->writeEpoch, byte->writeTime) &&
        (byte->writer < kFirstThread || cta_shared[i] != written[i - offset]))
      fail(
          "writes offset %ld of shared memory, which %s wrote differently since the last barrier",
          (long)i,
          byte->writer < kFirstThread ? "a copy of TMA" : "another thread");
    note_write(i);
  }
}

void read_async(uint32_t offset, const char *verb, int slot, uint32_t number) {
  int isProduct = slot < kFirstBarrier;
  check_bounds(offset, 16, verb);
  for (uint32_t i = offset; i < offset + 16; ++i) {
    const Shadow *byte = &shadow[i];
    check_idle(i, verb);
    check_written(i, verb);
    if (byte->writer >= kFirstThread && !(byte->isCopied && isProduct) &&
        !is_fenced(byte))
      fail(
          "%s offset %u of shared memory, which thread %d wrote, without fence.proxy.async between the two",
          verb, i, byte->writer - kFirstThread);
  }
  note_read(&asyncReads, &firstAsync[offset / 16], slot, number);
}

void write_async(uint32_t offset, int slot, uint32_t number) {
  const char *verb = "a copy of TMA writes";
  Shadow *byte = &shadow[offset];
  check_bounds(offset, 1, verb);
  check_idle(offset, verb);
  check_unread(offset, verb);
  if (byte->isWritten) {
    check_written(offset, verb);
    if (byte->writer >= kFirstThread && !is_fenced(byte))
      fail(
          "%s offset %u of shared memory, which thread %d wrote, without fence.proxy.async between the two",
          verb, offset, byte->writer - kFirstThread);
  }
  byte->isWritten = 1;
  byte->writeEpoch = epoch;
  byte->writer = slot;
  byte->writeTime = number;
}

// Called before each access of `size` bytes. `written` is what will be there,
// or null for a read.
void emu_access(void *pointer, int64_t size, int64_t alignment, int space,
                const char *written) {
  uint64_t address = (uint64_t)pointer;
  if (address % alignment)
    fail("%s %ld bytes at %#lx, which is no multiple of %ld",
         written ? "writes" : "reads", (long)size, (long)address,
         (long)alignment);
  if (space == 3)
    check_shared(address, size, written);
  else
    check_global(address, size, written != 0);
}

// Atomic updates: threads that do nothing else to it need no barrier.
void update_shared(int64_t offset, int64_t size) {
  check_bounds(offset, size, "updates");
  for (int64_t i = offset; i < offset + size; ++i) {
    check_idle(i, "updates");
    if (!shadow[i].isWritten)
      fail("updates offset %ld of shared memory, which nobody has written",
           (long)i);
    note_write(i);
  }
}

// Copies that go on while the thread does. Data arrives as late as it may: at
// the wait.

void emu_copy(int isWanted, uint32_t target, uint64_t source, int size,
              int valid) {
  if (!isWanted)
    return;
  uint64_t offset = target & 0x3FFFF;
  if (offset % size || (valid && source % size))
    fail(
        "copies %d bytes from %#lx to offset %ld, which are no multiples of it",
        size, (long)source, (long)offset);
  if (offset + size > (uint64_t)sharedBytes)
    fail("copies to offset %ld of %ld bytes of shared memory", (long)offset,
         (long)sharedBytes);
  if (valid)
    check_global(source, valid, 0);
  Copies *own = &copies[current];
  if (own->count == own->room) {
    own->room = 2 * own->room + 64;
    own->pieces = realloc(own->pieces, own->room * sizeof(Copy));
  }
  Copy *piece = &own->pieces[own->count++];
  *piece = (Copy){own->group, offset, source, size, valid, {0}};
  memcpy(piece->before, (const void *)source, valid);
  for (uint64_t i = offset; i < offset + size; ++i) {
    check_idle(i, "copies to");
    check_unread(i, "copies to");
    if (shadow[i].isWritten)
      check_written(i, "copies to");
    shadow[i].copier = current;
  }
}

// Copies that always happen, of all their bytes or of fewer.
#define DEFINE_COPY(CACHE, SIZE)                                               \
  void emu_cp_async_##CACHE##_shared_global_##SIZE(const char *target,         \
                                                   const char *source) {       \
    emu_copy(1, (uint32_t)(uint64_t)target, (uint64_t)source, SIZE, SIZE);     \
  }                                                                            \
  void emu_cp_async_##CACHE##_shared_global_##SIZE##_s(                        \
      const char *target, const char *source, int valid) {                     \
    emu_copy(1, (uint32_t)(uint64_t)target, (uint64_t)source, SIZE, valid);    \
  }
DEFINE_COPY(ca, 4)
DEFINE_COPY(ca, 8)
DEFINE_COPY(cg, 16)

static void finish_copy(const Copy *piece) {
  if (memcmp(piece->before, (const void *)piece->source, piece->valid))
    fail("copies from %#lx, which has changed since the copy began",
         (long)piece->source);
  memset(cta_shared + piece->offset, 0, piece->size);
  memcpy(cta_shared + piece->offset, piece->before, piece->valid);
  for (int i = 0; i < piece->size; ++i) {
    shadow[piece->offset + i].copier = -1;
    note_write(piece->offset + i);
    shadow[piece->offset + i].isCopied = 1;
  }
}

void emu_cp_async_commit_group(void) { ++copies[current].group; }

void emu_cp_async_wait_group(uint32_t pending) {
  Copies *own = &copies[current];
  int left = 0;
  for (int i = 0; i < own->count; ++i)
    if (own->pieces[i].group < own->group - (int)pending)
      finish_copy(&own->pieces[i]);
    else
      own->pieces[left++] = own->pieces[i];
  own->count = left;
}

void begin_memory(void) {
  memset(cta_shared, 0x5A, sizeof(cta_shared));
  for (int i = 0; i < sharedBytes; ++i)
    shadow[i] = (Shadow){.readEpoch = -1, .reads = -1, .copier = -1};
  memset(firstAsync, -1, sizeof(firstAsync));
  threadReads.count = asyncReads.count = 0;
  for (int i = 0; i < numThreads; ++i)
    copies[i].count = copies[i].group = 0;
}

void end_memory(void) {
  if (copies[current].count)
    fail("ends while %d copies are under way", copies[current].count);
}
