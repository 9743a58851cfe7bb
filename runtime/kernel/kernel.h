/*===- kernel.h - What compiled kernels call ----------------------*- C -*-===*\
|*                                                                            *|
|* The part of the runtime that is the same wherever a kernel runs on a CPU:  *|
|* prints, buffers, clocks, rounding. It is C11, and C++ as well: the library *|
|* compiles it, and launchers made ahead of time have copies of those files   *|
|* that their kernel needs. Of several copies the linker keeps one.           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TRITON_SHARED_RUNTIME_KERNEL_H
#define TRITON_SHARED_RUNTIME_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRITON_SHARED_WEAK __attribute__((weak))

/* One line of output: `Begin`, perhaps `Indices` and an `Index` per dimension,
   `Text`, perhaps a value, `End`, with which it goes out in one piece. */
void tritonSharedPrintBegin(int32_t x, int32_t y, int32_t z);
void tritonSharedPrintIndices(void);
void tritonSharedPrintIndex(int64_t index, int32_t digits);
void tritonSharedPrintText(const char *text, int64_t size);
/* `bits` says how many digits a hexadecimal number has; 0 for as few as it
   can. */
void tritonSharedPrintInteger(int64_t value, int32_t bits, int32_t isSigned,
                              int32_t hex);
void tritonSharedPrintFloat(double value);
void tritonSharedPrintEnd(void);

/* The line that a thread is writing. */
struct TritonSharedLine {
  char *text;
  size_t size, capacity;
  /* Of the element that is printed, so far; -1 outside of them. */
  int32_t indices;
};
struct TritonSharedLine *tritonSharedLineOfThread(void);

/* An area of at least `bytes` bytes, from a cache line on, that belongs to the
   calling thread. It is the same area at every call, with unknown contents. */
void *tritonSharedScratch(int64_t bytes);

/* Gives the thread another area, null for none yet; returns the one it had. */
void *tritonSharedExchangeScratch(void *area);

/* A clock that never goes back. */
int64_t tritonSharedClockNanoseconds(void);

/* The logical CPU that the program runs on just now, from 0 on. */
int64_t tritonSharedProcessorNumber(void);

/* More than any number of one. */
int64_t tritonSharedProcessorCount(void);

/* Not 0 if the process may use the registers of AMX, for which it asks the
   system once. */
int32_t tritonSharedMayUseMatrixTiles(void);

/* What a failed assertion has to say, as `snprintf` writes it. `where` is
   `file:line`, or empty. */
int tritonSharedDescribeFailure(char *text, size_t capacity, const char *where,
                                int64_t whereSize, const char *message,
                                int64_t messageSize, int32_t x, int32_t y,
                                int32_t z);

/* Round to bf16, ties to even, where LLVM calls for it and libgcc may lack it;
   the result is in the low half of a register of floats. */
float __truncsfbf2(float value);
float __truncdfbf2(double value);

/* Formats of numbers that tensor cores read, and of their sums. tf32 lies in
   memory as f32. */
enum {
  TRITON_SHARED_F32,
  TRITON_SHARED_F16,
  TRITON_SHARED_BF16,
  TRITON_SHARED_E4M3,
  TRITON_SHARED_E5M2,
  TRITON_SHARED_TF32_NEAREST, /* rounded before, ties away from zero */
  TRITON_SHARED_TF32_CUT,     /* the instruction leaves bits out */
  TRITON_SHARED_F64           /* only one product after the other */
};

/* How an instruction adds up: TensorCores.def. */
struct TritonSharedTensorCore {
  int32_t left, right, sum; /* formats; sums are f32 or f16 */
  int32_t block;            /* products that are added at once */
  int32_t fraction;         /* bits below the largest exponent that are kept */
  int32_t result;           /* bits that a sum in f32 has behind the point */
  int32_t part;             /* of K, whose sums are added in f32; 0 for none */
};

/* A matrix in memory; strides are in elements. */
struct TritonSharedMatrix {
  void *memory;
  int64_t rowStride, columnStride;
  int32_t kind; /* a format, tf32 as f32 */
};

/* c += a * b for `rows` * `columns` sums of f32 and `depth` along K. Gives 0,
   with nothing done, if there is no memory. */
int32_t
tritonSharedTensorCoreMultiply(const struct TritonSharedTensorCore *core,
                               const struct TritonSharedMatrix *a,
                               const struct TritonSharedMatrix *b,
                               const struct TritonSharedMatrix *c, int64_t rows,
                               int64_t columns, int64_t depth);

/* The same in numbers; a `block` of 0 is one product after the other, in f32 or
   f64. */
void tritonSharedTensorCoreDot(int64_t a, int64_t aRow, int64_t aColumn,
                               int32_t aKind, int64_t b, int64_t bRow,
                               int64_t bColumn, int32_t bKind, int64_t c,
                               int64_t cRow, int64_t cColumn, int32_t cKind,
                               int64_t rows, int64_t columns, int64_t depth,
                               int32_t left, int32_t right, int32_t sum,
                               int32_t block, int32_t fraction, int32_t result,
                               int32_t part);

/* memory[offsets[i]] += values[i] for `count` numbers, atomically each, where
   `mask` has a byte that is not zero or there is none; all four are addresses,
   offsets are i64 and count numbers. */
void tritonSharedAddRowF32(int64_t memory, int64_t offsets, int64_t values,
                           int64_t mask, int64_t count);
void tritonSharedAddRowF64(int64_t memory, int64_t offsets, int64_t values,
                           int64_t mask, int64_t count);

#ifdef __cplusplus
}
#endif

#endif /* TRITON_SHARED_RUNTIME_KERNEL_H */
