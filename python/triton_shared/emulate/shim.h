// What the parts of the emulated machine share: the CTA that runs, its threads,
// and what happened to its shared memory.

#ifndef TRITON_SHARED_EMULATE_SHIM_H
#define TRITON_SHARED_EMULATE_SHIM_H

#include <stdint.h>
#include <ucontext.h>

enum {
  kWarp = 32,
  kWarpgroup = 128,
  kMaxThreads = 1024,
  kStack = 256 * 1024,
  kMaxShared = 232448
};

typedef struct {
  ucontext_t context;
  char *stack;
  int isDone;
  const char *waitsFor; // what the thread did last that takes others
  unsigned shuffles;    // how many this thread has begun
  uint32_t slots[2];
} Fiber;

typedef struct {
  uint64_t begin, end;
} Region;

// What happened to a byte of shared memory since the last barrier.
typedef struct {
  int writeEpoch, writer;
  int readEpoch, reader; // reader -1: several
  int copier;            // the thread whose copy is under way to it, or -1
  int fences;            // of the writer before it wrote
  short products;        // that are under way and read it
} Shadow;

// A pointer into it has its offset in the low 18 bits, as on a GPU, where the
// descriptors of matrices have room for no more.
extern _Alignas(1 << 18) char cta_shared[kMaxShared];
extern Shadow shadow[kMaxShared];

extern Fiber fibers[kMaxThreads];
extern int current, numThreads, threadsX, epoch, progress;
extern int64_t sharedBytes;
extern const Region *regions;
extern int numRegions;

// shim.c

/// Ends the launch with what the current thread did wrong.
void fail(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));
/// Lets others run; `purpose` is what the thread waits for.
void pause_fiber(const char *purpose);
/// The value that a lane of this warp brought along.
uint32_t exchange(uint32_t mask, uint32_t value, unsigned source);

// memory.c

void begin_memory(void);
/// Fails if the current thread, at its end, has copies under way.
void end_memory(void);
void emu_access(void *pointer, int64_t size, int64_t alignment, int space,
                const char *written);
/// The proxy fences of `thread` that a barrier has made known to all.
int settled_fences(int thread);

// products.c

/// Element `element` of the words at `word`: d f64, f f32, h f16, b bf16, t
/// tf32, 4 e4m3, 5 e5m2, s s8, u u8.
double decode(char type, const void *word, int element);

// wgmma.c

void begin_wgmma(void);
/// Fails if the current thread, at its end, has products under way.
void end_wgmma(void);

#endif
