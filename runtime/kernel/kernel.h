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

#ifdef __cplusplus
}
#endif

#endif /* TRITON_SHARED_RUNTIME_KERNEL_H */
