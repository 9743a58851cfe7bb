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
  const char *waitsFor; // what the thread paused for
  unsigned shuffles;    // how many this thread has begun
  uint32_t slots[2];
} Fiber;

typedef struct {
  uint64_t begin, end;
} Region;

// Who touches memory has a number, a slot: a warpgroup whose products read it
// or a warp of one that reads its own rows, an mbarrier whose copies write it,
// a thread whose stores of TMA read it, or a thread itself.
enum {
  kMaxBarriers = 120,
  kMaxStorers = 64,
  kFirstWarp = kMaxThreads / kWarpgroup,
  kFirstBarrier = kFirstWarp + kMaxThreads / kWarp,
  kFirstStorer = kFirstBarrier + kMaxBarriers,
  kFirstThread = kFirstStorer + kMaxStorers,
  kSlots = kFirstThread + kMaxThreads
};

// How much of what each slot did is known, as a number that grows.
typedef struct {
  uint32_t times[kSlots];
} Clock;

// What happened to a byte of shared memory.
typedef struct {
  int isWritten, writeEpoch;
  int writer; // a slot
  uint32_t writeTime;
  int fences;           // of the writer before it wrote
  int isCopied;         // by `cp.async`: products need no fence
  int readEpoch, reads; // the first of a list, of the epoch
  int copier;           // the thread whose copy is under way to it, or -1
  int isBarrier;        // whether it belongs to an mbarrier
} Shadow;

// A pointer into it has its offset in the low 18 bits, and numbers made of
// pointers have no others: as on a GPU, where the descriptors of matrices have
// room for no more.
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

// order.c

extern Clock clocks[kMaxThreads]; // what each thread knows
void begin_order(void);
/// Gives away what the current thread knows, and what it did so far.
void release_to(Clock *to);
void acquire(const Clock *from);
/// Whether the current thread knows of what `slot` did at `time` in `epoch`.
int knows(int slot, int inEpoch, uint32_t time);
/// From here to `end_collective`, the current thread knows what all of `count`
/// threads from `first` know.
void begin_collective(int first, int count);
void end_collective(void);
/// The time of what the current thread does next.
uint32_t now(void);
/// Whether it knows of a fence of the asynchronous proxy by `thread` after its
/// first `count` ones.
int knows_fence(int thread, int count);
int count_fences(void);
/// Whether a fence of the asynchronous proxy lies between a thread's write and
/// what comes next, by the PTX memory model's "Causality order": one by the
/// writer of which the current thread knows, or by the current thread (all of a
/// collective) after it knew of the write.
int is_fenced(const Shadow *byte);
/// This thread waited for products of its warpgroup: it may write the rows that
/// only its warp reads. When it has met others, it and they may write all.
void wait_for_products(uint32_t number);

// memory.c

void begin_memory(void);
/// Forgets reads that all threads know of.
void forget_reads(void);
/// Fails if the current thread, at its end, has copies under way.
void end_memory(void);
void emu_access(void *pointer, int64_t size, int64_t alignment, int space,
                const char *written);
/// An atomic update of shared memory.
void update_shared(int64_t offset, int64_t size);
void check_global(uint64_t address, int64_t size, int isWrite);
/// Reads the word at a multiple of 4: a bit for each of its bytes that lies in
/// a buffer, 0 if none does.
int emu_begin_word(uint64_t address, char word[4]);
/// Writes these bytes; fails if another one has changed.
void emu_end_word(uint64_t address, const char word[4], int held);
/// Fails unless the asynchronous proxy may read the 16 bytes at `offset` for
/// the current thread; `verb` says how. `slot` then may read them until
/// somebody knows that it has done `number` things.
void read_async(uint32_t offset, const char *verb, int slot, uint32_t number);
/// Fails unless the asynchronous proxy may write a byte for the current thread,
/// which is known to who knows that `slot` has done `number` things.
void write_async(uint32_t offset, int slot, uint32_t number);

// mbarrier.c

void begin_mbarriers(void);
/// Fails if copies are under way when the last thread ends.
void end_mbarriers(void);
/// A copy arrives at the mbarrier at `address`: returns the slot that writes
/// for it, and how many things that has done when the phase is complete.
int begin_transfer(uint64_t address, uint32_t *number);
void finish_transfer(int slot, int64_t bytes);

// shim.c

/// The bits of a bf16: to nearest, ties to even.
uint16_t round_to_bf16(float value);

// tma.c

void begin_tma(void);
/// Fails if the current thread, at its end, has stores under way.
void end_tma(void);

// products.c

/// Element `element` of the words at `word`: d f64, f f32, h f16, b bf16, t
/// tf32, 4 e4m3, 5 e5m2, s s8, u u8.
double decode(char type, const void *word, int element);

// float8.c

double decode_e4m3(uint8_t bits);
/// To nearest, ties to even; what is too large becomes the largest number.
uint8_t bits_e4m3(double value);
uint8_t bits_e5m2(double value);

// wgmma.c

void begin_wgmma(void);
/// Fails if the current thread, at its end, has products under way.
void end_wgmma(void);

// exact.c

/// Adds `depth` products to `sum` as an instruction (w for wgmma, m for mma)
/// does; `types` are those of result, left and right, as `decode` names them.
/// Gives 0, with nothing done, if no such instruction was asked for.
int add_exactly(char instruction, const char *types, const float *left,
                const float *right, int depth, float *sum);

#endif
