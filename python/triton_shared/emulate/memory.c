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

// Fences of a thread between its writes and what the asynchronous proxy reads.
typedef struct {
  int count;   // of all
  int settled; // of those before a barrier, if `epoch` is that of the last one
  int epoch;
} Fences;
static Fences fences[kMaxThreads];

static void check_global(uint64_t address, int64_t size, int isWrite) {
  for (int i = 0; i < numRegions; ++i)
    if (address >= regions[i].begin && address + size <= regions[i].end)
      return;
  fail("%s %ld bytes outside of every buffer, at %#lx",
       isWrite ? "writes" : "reads", (long)size, (long)address);
}

// Of shared memory that is about to be written.
static void check_products(int64_t offset, const Shadow *byte) {
  if (byte->products)
    fail("writes offset %ld of shared memory, which a product under way reads",
         (long)offset);
}

static void check_shared(uint64_t address, int64_t size, const char *written) {
  int64_t offset = address - (uint64_t)cta_shared;
  if (offset < 0 || offset + size > sharedBytes)
    fail("%s %ld bytes at offset %ld of %ld bytes of shared memory",
         written ? "writes" : "reads", (long)size, (long)offset,
         (long)sharedBytes);
  for (int64_t i = 0; i < size; ++i) {
    Shadow *byte = &shadow[offset + i];
    if (byte->copier >= 0)
      fail("%s offset %ld of shared memory, to which thread %d still copies",
           written ? "writes" : "reads", (long)(offset + i), byte->copier);
    int isOthers = byte->writeEpoch == epoch && byte->writer != current;
    if (!written) {
      if (byte->writeEpoch < 0)
        fail("reads offset %ld of shared memory, which nobody has written",
             (long)(offset + i));
      if (isOthers)
        fail(
            "reads offset %ld of shared memory, which thread %d wrote since the last barrier",
            (long)(offset + i), byte->writer);
      byte->reader =
          byte->readEpoch == epoch && byte->reader != current ? -1 : current;
      byte->readEpoch = epoch;
      continue;
    }
    check_products(offset + i, byte);
    if (byte->readEpoch == epoch && byte->reader != current)
      fail(
          "writes offset %ld of shared memory, which another thread read since the last barrier",
          (long)(offset + i));
    if (isOthers && cta_shared[offset + i] != written[i])
      fail(
          "writes offset %ld of shared memory, which thread %d wrote differently since the last "
          "barrier",
          (long)(offset + i), byte->writer);
    byte->writeEpoch = epoch;
    byte->writer = current;
    byte->fences = fences[current].count;
  }
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

// Between what this thread wrote and what the asynchronous proxy reads.
static void fence_proxy(void) {
  Fences *own = &fences[current];
  if (own->epoch != epoch) {
    own->settled = own->count;
    own->epoch = epoch;
  }
  ++own->count;
}
void emu_fence_proxy_async(void) { fence_proxy(); }
void emu_fence_proxy_async_shared_cta(void) { fence_proxy(); }

int settled_fences(int thread) {
  Fences *own = &fences[thread];
  return own->epoch == epoch ? own->settled : own->count;
}

// Copies that go on while the thread does. Data arrives as late as it may: at
// the wait.

void emu_copy(int isWanted, uint32_t target, uint64_t source, int size,
              int valid) {
  if (!isWanted)
    return;
  uint64_t offset = target - (uint32_t)(uint64_t)cta_shared;
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
  for (int i = 0; i < size; ++i) {
    Shadow *byte = &shadow[offset + i];
    if (byte->copier >= 0)
      fail(
          "copies to offset %ld of shared memory, to which thread %d still copies",
          (long)(offset + i), byte->copier);
    check_products(offset + i, byte);
    if (byte->readEpoch == epoch && byte->reader != current)
      fail(
          "copies to offset %ld of shared memory, which another thread read since the last "
          "barrier",
          (long)(offset + i));
    if (byte->writeEpoch == epoch && byte->writer != current)
      fail(
          "copies to offset %ld of shared memory, which thread %d wrote since the last barrier",
          (long)(offset + i), byte->writer);
    byte->copier = current;
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
    Shadow *byte = &shadow[piece->offset + i];
    byte->copier = -1;
    byte->writeEpoch = epoch;
    byte->writer = current;
    byte->fences = fences[current].count;
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
  memset(shadow, -1, sizeof(shadow));
  memset(cta_shared, 0x5A, sizeof(cta_shared));
  for (int i = 0; i < kMaxShared; ++i)
    shadow[i].products = 0;
  for (int i = 0; i < numThreads; ++i) {
    copies[i].count = copies[i].group = 0;
    fences[i] = (Fences){0, 0, -1};
  }
}

void end_memory(void) {
  if (copies[current].count)
    fail("ends while %d copies are under way", copies[current].count);
}
