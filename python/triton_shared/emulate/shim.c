// What a GPU does for the kernels of triton_shared.emulate: one CTA at a time,
// each of its threads a fiber that runs until it waits for others. Accesses are
// watched: see `emu_access`.

#define _GNU_SOURCE
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
  kWarp = 32,
  kMaxThreads = 1024,
  kStack = 256 * 1024,
  kMaxShared = 232448
};

typedef struct {
  ucontext_t context;
  char *stack;
  int isDone;
  unsigned shuffles; // how many this thread has begun
  uint32_t slots[2];
} Fiber;

typedef struct {
  uint64_t begin, end;
} Region;

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

// What happened to a byte of shared memory since the last barrier.
typedef struct {
  int writeEpoch, writer;
  int readEpoch, reader; // reader -1: several
  int copier;            // the thread whose copy is under way to it, or -1
} Shadow;

_Alignas(1024) char cta_shared[kMaxShared];
static Shadow shadow[kMaxShared];

static Fiber fibers[kMaxThreads];
static Copies copies[kMaxThreads];
static ucontext_t scheduler;
static int current, numThreads, threadsX, arrived, epoch, progress;
static int64_t sharedBytes;
static uint32_t grid[3], block[3];
static const Region *regions;
static int numRegions;
static void (*kernel)(void **);
static void **kernelArguments;
static char message[512];

static void fail(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));
static void fail(const char *format, ...) {
  char text[384];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  snprintf(message, sizeof(message), "block (%u, %u, %u), thread %d: %s",
           block[0], block[1], block[2], current, text);
  swapcontext(&fibers[current].context, &scheduler);
  abort();
}

static void pause_fiber(void) {
  swapcontext(&fibers[current].context, &scheduler);
}

// Registers

uint32_t emu_read_ptx_sreg_tid_x(void) { return current % threadsX; }
uint32_t emu_read_ptx_sreg_tid_y(void) { return current / threadsX; }
uint32_t emu_read_ptx_sreg_ntid_x(void) { return threadsX; }
uint32_t emu_read_ptx_sreg_laneid(void) { return current % kWarp; }
float emu_sqrt_rn_f(float x) { return sqrtf(x); }
float emu_sqrt_approx_f(float x) { return sqrtf(x); }
double emu_sqrt_rn_d(double x) { return sqrt(x); }
/// A special register, by its number in rewrite.py; a clock goes on by one a
/// read.
uint64_t emu_machine(uint32_t number) {
  static uint64_t clock = (uint64_t)1 << 32;
  uint32_t thread = current % threadsX, lane = thread % kWarp, bit = 1u << lane;
  const uint64_t values[] = {block[0] % 4,
                             4,
                             ++clock,
                             clock >> 32,
                             clock,
                             clock,
                             clock,
                             clock >> 32,
                             thread,
                             threadsX,
                             lane,
                             thread / kWarp,
                             threadsX / kWarp,
                             bit,
                             bit | (bit - 1),
                             bit - 1,
                             ~(bit - 1),
                             ~(bit | (bit - 1))};
  return values[number];
}
uint32_t emu_read_ptx_sreg_ctaid_x(void) { return block[0]; }
uint32_t emu_read_ptx_sreg_ctaid_y(void) { return block[1]; }
uint32_t emu_read_ptx_sreg_ctaid_z(void) { return block[2]; }
uint32_t emu_read_ptx_sreg_nctaid_x(void) { return grid[0]; }
uint32_t emu_read_ptx_sreg_nctaid_y(void) { return grid[1]; }
uint32_t emu_read_ptx_sreg_nctaid_z(void) { return grid[2]; }

// Waiting for each other

void emu_barrier_cta_sync_aligned_all(uint32_t id) {
  if (id != 0)
    fail("waits at barrier %u", id);
  int before = epoch;
  if (++arrived == numThreads) {
    arrived = 0;
    ++epoch;
  }
  while (epoch == before)
    pause_fiber();
  ++progress;
}

static uint32_t exchange(uint32_t mask, uint32_t value, unsigned source) {
  if (mask != 0xFFFFFFFFu)
    fail("shuffles among some lanes only");
  Fiber *self = &fibers[current];
  unsigned turn = self->shuffles++;
  self->slots[turn % 2] = value;
  int warp = current / kWarp * kWarp;
  for (int lane = 0; lane < kWarp; ++lane)
    while (fibers[warp + lane].shuffles <= turn)
      pause_fiber();
  ++progress;
  return fibers[warp + source].slots[turn % 2];
}

uint32_t emu_shfl_sync_bfly_i32(uint32_t mask, uint32_t value, uint32_t other,
                                uint32_t clamp) {
  if (clamp != kWarp - 1)
    fail("shuffles with clamp %u", clamp);
  return exchange(mask, value, (current % kWarp) ^ other);
}

uint32_t emu_shfl_sync_idx_i32(uint32_t mask, uint32_t value, uint32_t lane,
                               uint32_t clamp) {
  if (clamp != kWarp - 1)
    fail("shuffles with clamp %u", clamp);
  return exchange(mask, value, lane % kWarp);
}

uint32_t emu_shfl_sync_up_i32(uint32_t mask, uint32_t value, uint32_t delta,
                              uint32_t clamp) {
  if (clamp != 0)
    fail("shuffles up with clamp %u", clamp);
  unsigned lane = current % kWarp;
  return exchange(mask, value, lane >= delta ? lane - delta : lane);
}

uint32_t emu_shfl_sync_down_i32(uint32_t mask, uint32_t value, uint32_t delta,
                                uint32_t clamp) {
  if (clamp != kWarp - 1)
    fail("shuffles down with clamp %u", clamp);
  unsigned lane = current % kWarp;
  return exchange(mask, value, lane + delta < kWarp ? lane + delta : lane);
}

// Matrix products of a warp: the fragments of `mma.sync` in the PTX manual

static double decode(char type, const void *word, int element) {
  uint32_t bits = *(const uint32_t *)word;
  uint16_t half = bits >> (16 * (element & 1));
  float value;
  _Float16 small;
  switch (type) {
  case 'd': // f64
    return *(const double *)word;
  case 's': // s8
    return (int8_t)(bits >> (8 * element));
  case 'h': // f16
    memcpy(&small, &half, 2);
    return small;
  case 'b': // bf16
    bits = (uint32_t)half << 16;
    break;
  default: // tf32: the low bits do not count
    bits &= 0xFFFFE000u;
  }
  memcpy(&value, &bits, 4);
  return value;
}

typedef struct {
  const char *left, *right;
} Operands;
static Operands operands[kMaxThreads];

// `left` and `right` are the registers of this thread's fragments, `sums` those
// of the result: floats, doubles or int32_t; `m` x 8 x `k`.
void emu_mma(int type, int m, int k, const char *left, const char *right,
             void *sums) {
  int warp = current / kWarp * kWarp, lane = current % kWarp;
  int per = type == 's'                  ? 4
            : type == 'h' || type == 'b' ? 2
                                         : 1,
      bytes = type == 'd' ? 8 : 4;
  operands[current] = (Operands){left, right};
  exchange(~0u, 0, 0);
  for (int i = 0; i < m / 4; ++i) {
    int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    double sum = 0;
    for (int j = 0; j < k; ++j) {
      int among = j / per % 4, group = j / (4 * per);
      const char *a = operands[warp + row % 8 * 4 + among].left;
      const char *b = operands[warp + column * 4 + among].right;
      int words = m == 16 ? 2 : 1;
      sum += decode(type, a + (row / 8 + words * group) * bytes, j % per) *
             decode(type, b + group * bytes, j % per);
    }
    if (type == 's')
      ((int32_t *)sums)[i] += (int32_t)sum;
    else if (type == 'd')
      ((double *)sums)[i] += sum;
    else
      ((float *)sums)[i] += sum;
  }
  // Others may still read these operands.
  exchange(~0u, 0, 0);
}

// Approximate on a GPU, to two units in the last place; here as good as they
// get.
float emu_div_full(float dividend, float divisor) { return dividend / divisor; }
float emu_ex2_approx_f32(float x) { return __builtin_exp2f(x); }

// To nearest, ties away from zero.
uint32_t emu_f2tf32_rna(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  int isFinite = (bits & 0x7F800000u) != 0x7F800000u;
  return isFinite ? (bits + 0x1000) & 0xFFFFE000u : bits;
}

// Memory

static void check_global(uint64_t address, int64_t size, int isWrite) {
  for (int i = 0; i < numRegions; ++i)
    if (address >= regions[i].begin && address + size <= regions[i].end)
      return;
  fail("%s %ld bytes outside of every buffer, at %#lx",
       isWrite ? "writes" : "reads", (long)size, (long)address);
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

// Matrices of 8 rows of 16 bytes: each lane names a row, and gets a word of
// each matrix.

static const char *rows[kMaxThreads];

static void read_shared(void *to, const char *from, int size) {
  emu_access((void *)from, size, size, 3, 0);
  memcpy(to, from, size);
}

void emu_ldmatrix(const char *row, int count, int isTransposed,
                  uint32_t *words) {
  int warp = current / kWarp * kWarp, lane = current % kWarp;
  rows[current] = row;
  exchange(~0u, 0, 0);
  for (int matrix = 0; matrix < count; ++matrix) {
    const char **named = &rows[warp + 8 * matrix];
    uint16_t pair[2];
    if ((uint64_t)named[lane / 4] % 16)
      fail("reads a row of a matrix at %p, which is no multiple of 16",
           (void *)named[lane / 4]);
    for (int i = 0; i < 2; ++i) {
      int inRow = lane % 4 * 2 + i, across = lane / 4;
      read_shared(&pair[i],
                  isTransposed ? named[inRow] + 2 * across
                               : named[across] + 2 * inRow,
                  2);
    }
    memcpy(&words[matrix], pair, 4);
  }
  // Others may still look for the names.
  exchange(~0u, 0, 0);
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

// What the compiler calls for bf16: rounding to nearest, ties to even.
__bf16 __truncsfbf2(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  uint16_t half = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  if (value != value)
    half = 0x7FFF;
  __bf16 result;
  memcpy(&result, &half, 2);
  return result;
}

__bf16 __truncdfbf2(double value) {
  // To odd first, so that it is rounded once.
  float near = (float)value;
  uint32_t bits;
  memcpy(&bits, &near, 4);
  if (value == value && (double)near != value && !(bits & 1))
    bits += (near > value) == (near > 0) ? -1 : 1;
  memcpy(&near, &bits, 4);
  return __truncsfbf2(near);
}

// Messages

void __assertfail(const char *text, const char *file, uint32_t line,
                  const char *function, uint64_t size) {
  (void)function, (void)size;
  fail("assertion '%s' at %s:%u", text, file, line);
}

// Launching

static void run_fiber(void) {
  kernel(kernelArguments);
  if (copies[current].count)
    fail("ends while %d copies are under way", copies[current].count);
  fibers[current].isDone = 1;
  ++progress;
  swapcontext(&fibers[current].context, &scheduler);
}

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

// 0: ascending, 1: descending, other seeds: random, a new one each round.
static void choose_order(int *order, uint32_t seed, uint32_t *state) {
  for (int i = 0; i < numThreads; ++i)
    order[i] = seed == 1 ? numThreads - 1 - i : i;
  if (seed > 1)
    for (int i = numThreads - 1; i > 0; --i) {
      int other = next_random(state) % (i + 1), kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
}

static const char *run_block(uint32_t seed, uint32_t *state) {
  static int order[kMaxThreads];
  memset(shadow, -1, sizeof(shadow));
  memset(cta_shared, 0x5A, sizeof(cta_shared));
  arrived = epoch = 0;
  for (int i = 0; i < numThreads; ++i) {
    Fiber *fiber = &fibers[i];
    if (!fiber->stack)
      fiber->stack = malloc(kStack);
    fiber->isDone = fiber->shuffles = 0;
    copies[i].count = copies[i].group = 0;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = kStack;
    makecontext(&fiber->context, run_fiber, 0);
  }
  for (int live = numThreads; live > 0;) {
    int before = progress;
    choose_order(order, seed, state);
    for (int i = 0; i < numThreads; ++i) {
      if (fibers[order[i]].isDone)
        continue;
      current = order[i];
      swapcontext(&scheduler, &fibers[current].context);
      if (message[0])
        return message;
      live -= fibers[current].isDone;
    }
    if (progress == before) {
      snprintf(message, sizeof(message),
               "block (%u, %u, %u): %d of %d threads wait for ever", block[0],
               block[1], block[2], live, numThreads);
      return message;
    }
  }
  return 0;
}

// Returns null, or what went wrong.
const char *emu_launch(void (*entry)(void **), void **arguments,
                       const uint32_t *size, int threads, int programs,
                       int64_t shared, const Region *buffers, int numBuffers,
                       uint32_t seed) {
  kernel = entry;
  kernelArguments = arguments;
  threadsX = threads;
  numThreads = threads * programs;
  sharedBytes = shared;
  regions = buffers;
  numRegions = numBuffers;
  memcpy(grid, size, sizeof(grid));
  message[0] = 0;
  uint32_t state = seed;
  for (block[2] = 0; block[2] < grid[2]; ++block[2])
    for (block[1] = 0; block[1] < grid[1]; ++block[1])
      for (block[0] = 0; block[0] < grid[0]; ++block[0])
        if (run_block(seed, &state))
          return message;
  return 0;
}
