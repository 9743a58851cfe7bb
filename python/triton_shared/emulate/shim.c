// What a GPU does for the kernels of triton_shared.emulate: one CTA at a time,
// each of its threads a fiber that runs until it waits for others. Accesses are
// watched: see memory.c.

#define _GNU_SOURCE
#include "shim.h"
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Fiber fibers[kMaxThreads];
int current, numThreads, threadsX, epoch, progress;
int64_t sharedBytes;
const Region *regions;
int numRegions;
static ucontext_t scheduler;
static int numLive;
static uint32_t grid[3], block[3];
static void (*kernel)(void **);
static void **kernelArguments;
static char message[512];

void fail(const char *format, ...) {
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

void pause_fiber(const char *purpose) {
  fibers[current].waitsFor = purpose;
  swapcontext(&fibers[current].context, &scheduler);
}

// Registers

uint32_t emu_read_ptx_sreg_tid_x(void) { return current % threadsX; }
uint32_t emu_read_ptx_sreg_tid_y(void) { return current / threadsX; }
uint32_t emu_read_ptx_sreg_ntid_x(void) { return threadsX; }
uint32_t emu_read_ptx_sreg_laneid(void) { return current % kWarp; }
float emu_sqrt_rn_f(float x) { return sqrtf(x); }
double emu_sqrt_rn_d(double x) { return sqrt(x); }
/// A special register, by its number in rewrite.py; a clock goes on by one a
/// read.
uint64_t emu_machine(uint32_t number) {
  static uint64_t clock = (uint64_t)1 << 32;
  uint32_t thread = current % threadsX, lane = thread % kWarp, bit = 1u << lane;
  ++clock;
  const uint64_t values[] = {block[0] % 4,
                             4,
                             clock,
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
/// The lane of a warp that goes on alone.
uint32_t emu_elect(uint32_t mask) { return __builtin_ctz(mask); }
// How many registers a thread has does not matter here.
void emu_setmaxnreg_inc_sync_aligned_u32(uint32_t count) { (void)count; }
void emu_setmaxnreg_dec_sync_aligned_u32(uint32_t count) { (void)count; }
uint32_t emu_read_ptx_sreg_smid(void) { return 0; }
uint64_t emu_read_ptx_sreg_globaltimer(void) { return emu_machine(5); }
uint32_t emu_read_ptx_sreg_ctaid_x(void) { return block[0]; }
uint32_t emu_read_ptx_sreg_ctaid_y(void) { return block[1]; }
uint32_t emu_read_ptx_sreg_ctaid_z(void) { return block[2]; }
uint32_t emu_read_ptx_sreg_nctaid_x(void) { return grid[0]; }
uint32_t emu_read_ptx_sreg_nctaid_y(void) { return grid[1]; }
uint32_t emu_read_ptx_sreg_nctaid_z(void) { return grid[2]; }

// Waiting for each other

uint32_t exchange(uint32_t mask, uint32_t value, unsigned source) {
  if (mask != 0xFFFFFFFFu)
    fail("shuffles among some lanes only");
  Fiber *self = &fibers[current];
  unsigned turn = self->shuffles++;
  self->slots[turn % 2] = value;
  int warp = current / kWarp * kWarp;
  for (int lane = 0; lane < kWarp; ++lane)
    while (fibers[warp + lane].shuffles <= turn)
      pause_fiber("lanes of its warp");
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

/// Whether `vote` is true in any lane; callers give and take its lowest bit.
bool emu_vote_any_sync(uint32_t mask, bool vote) {
  uint32_t any = vote & 1;
  for (unsigned step = kWarp / 2; step > 0; step /= 2)
    any |= exchange(mask, any, (current % kWarp) ^ step);
  return any;
}

bool emu_vote_all_sync(uint32_t mask, bool vote) {
  return !emu_vote_any_sync(mask, !(vote & 1));
}

#define DEFINE_FLOAT_SHUFFLE(KIND)                                             \
  float emu_shfl_sync_##KIND##_f32(uint32_t mask, float value, uint32_t lane,  \
                                   uint32_t clamp) {                           \
    uint32_t bits;                                                             \
    memcpy(&bits, &value, 4);                                                  \
    bits = emu_shfl_sync_##KIND##_i32(mask, bits, lane, clamp);                \
    memcpy(&value, &bits, 4);                                                  \
    return value;                                                              \
  }
DEFINE_FLOAT_SHUFFLE(bfly)
DEFINE_FLOAT_SHUFFLE(idx)
DEFINE_FLOAT_SHUFFLE(up)
DEFINE_FLOAT_SHUFFLE(down)

// Approximate on a GPU, to two units in the last place; here as good as they
// get.
float emu_div_full(float dividend, float divisor) { return dividend / divisor; }
// Its product is not added to anything in one step.
float emu_mul_rn_f(float x, float y) { return x * y; }
float emu_ex2_approx_f32(float x) { return __builtin_exp2f(x); }
float emu_rcp_approx_f32(float x) { return 1 / x; }
float emu_tanh_approx_f32(float x) { return tanhf(x); }
float emu_div_approx_f(float dividend, float divisor) {
  return dividend / divisor;
}

static float flush(float x) {
  return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}
float emu_ex2_approx_ftz_f32(float x) { return flush(__builtin_exp2f(x)); }
float emu_rcp_approx_ftz_f(float x) { return flush(1 / flush(x)); }
float emu_div_approx_ftz_f(float dividend, float divisor) {
  return flush(flush(dividend) / flush(divisor));
}
#define DEFINE_APPROXIMATION(NAME, FUNCTION)                                   \
  float emu_##NAME##_approx_f(float x) { return FUNCTION(x); }                 \
  float emu_##NAME##_approx_ftz_f(float x) { return flush(FUNCTION(flush(x))); }
static float reciprocal_root(float x) { return 1 / sqrtf(x); }
DEFINE_APPROXIMATION(lg2, log2f)
DEFINE_APPROXIMATION(sin, sinf)
DEFINE_APPROXIMATION(cos, cosf)
DEFINE_APPROXIMATION(sqrt, sqrtf)
DEFINE_APPROXIMATION(rsqrt, reciprocal_root)

// To nearest, ties away from zero.
uint32_t emu_f2tf32_rna(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  int isFinite = (bits & 0x7F800000u) != 0x7F800000u;
  return isFinite ? (bits + 0x1000) & 0xFFFFE000u : bits;
}

// To nearest, ties to even.
uint16_t round_to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  uint16_t half = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  return value == value ? half : 0x7FFF;
}

// What the compiler calls for bf16. The result is in the register in which an
// _Float16 is, too: GCC knows no __bf16 before version 13.
_Float16 __truncsfbf2(float value) {
  uint16_t bits = round_to_bf16(value);
  _Float16 result;
  memcpy(&result, &bits, 2);
  return result;
}

_Float16 __truncdfbf2(double value) {
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
  end_memory();
  end_wgmma();
  end_tma();
  if (!--numLive)
    end_mbarriers();
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
  begin_memory();
  begin_order();
  begin_wgmma();
  begin_mbarriers();
  begin_tma();
  epoch = 0;
  numLive = numThreads;
  for (int i = 0; i < numThreads; ++i) {
    Fiber *fiber = &fibers[i];
    fiber->isDone = fiber->shuffles = 0;
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
      int first = 0;
      while (fibers[first].isDone)
        ++first;
      snprintf(message, sizeof(message),
               "block (%u, %u, %u): %d of %d threads wait for ever; thread %d "
               "waits for %s",
               block[0], block[1], block[2], live, numThreads, first,
               fibers[first].waitsFor);
      return message;
    }
  }
  return 0;
}

static const char *run_grid(uint32_t seed) {
  uint32_t state = seed;
  for (block[2] = 0; block[2] < grid[2]; ++block[2])
    for (block[1] = 0; block[1] < grid[1]; ++block[1])
      for (block[0] = 0; block[0] < grid[0]; ++block[0])
        if (run_block(seed, &state))
          return message;
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
  for (int i = 0; i < numThreads; ++i)
    fibers[i].stack = malloc(kStack);
  const char *wrong = run_grid(seed);
  for (int i = 0; i < numThreads; ++i)
    free(fibers[i].stack);
  return wrong;
}