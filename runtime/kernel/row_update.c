/*===- row_update.c - Atomic sums of a row of numbers ------------------------*\
|*                                                                            *|
|* A CPU has no atomic addition of floats: each is a loop around an exchange  *|
|* that locks a piece of memory, which takes as long for 16 bytes as for 4.   *|
|* Neighbours are added together, in the order of the row.                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "kernel.h"

#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

enum { kPieceBytes = 16 };

#ifdef __x86_64__
/* Whether this CPU exchanges 16 bytes at once. */
static int tritonSharedHasPieces(void) {
  static int known = -1;
  int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (answer < 0) {
    unsigned a, b, c = 0, d;
    answer = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_CMPXCHG16B);
    __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
  }
  return answer;
}

/* Writes `wanted` to `memory` if it holds `found`; if not, reads it. */
static int tritonSharedExchangePiece(void *memory, uint64_t found[2],
                                     const uint64_t wanted[2]) {
  unsigned char done;
  __asm__ __volatile__("lock cmpxchg16b %1\n\tsete %0"
                       : "=q"(done), "+m"(*(uint64_t (*)[2])memory),
                         "+a"(found[0]), "+d"(found[1])
                       : "b"(wanted[0]), "c"(wanted[1])
                       : "memory", "cc");
  return done;
}
#else
static int tritonSharedHasPieces(void) { return 0; }

static int tritonSharedExchangePiece(void *memory, uint64_t found[2],
                                     const uint64_t wanted[2]) {
  (void)memory, (void)found, (void)wanted;
  return 0;
}
#endif

/* For one type of floats, with the integer of its bits: adds one number, adds
   `count` neighbours, adds a row. */
#define TRITON_SHARED_ROW_UPDATE(Name, Float, Bits)                            \
  static void tritonSharedAddOne##Name(Float *at, Float value) {               \
    Bits *bits = (Bits *)at, found = __atomic_load_n(bits, __ATOMIC_RELAXED);  \
    Bits wanted;                                                               \
    do {                                                                       \
      Float sum;                                                               \
      memcpy(&sum, &found, sizeof(sum));                                       \
      sum += value;                                                            \
      memcpy(&wanted, &sum, sizeof(sum));                                      \
    } while (!__atomic_compare_exchange_n(                                     \
        bits, &found, wanted, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));         \
  }                                                                            \
                                                                               \
  static void tritonSharedAddPiece##Name(Float *at, const Float *values) {     \
    uint64_t found[2], wanted[2];                                              \
    for (int word = 0; word < 2; ++word)                                       \
      found[word] = __atomic_load_n((uint64_t *)at + word, __ATOMIC_RELAXED);  \
    do {                                                                       \
      Float sums[kPieceBytes / sizeof(Float)];                                 \
      memcpy(sums, found, kPieceBytes);                                        \
      for (size_t i = 0; i < kPieceBytes / sizeof(Float); ++i)                 \
        sums[i] += values[i];                                                  \
      memcpy(wanted, sums, kPieceBytes);                                       \
    } while (!tritonSharedExchangePiece(at, found, wanted));                   \
  }                                                                            \
                                                                               \
  static void tritonSharedAddNeighbours##Name(Float *at, const Float *values,  \
                                              int64_t count) {                 \
    const int64_t piece = kPieceBytes / sizeof(Float);                         \
    int64_t i = 0;                                                             \
    if (count >= piece && tritonSharedHasPieces()) {                           \
      for (; (uintptr_t)(at + i) % kPieceBytes && i < count; ++i)              \
        tritonSharedAddOne##Name(at + i, values[i]);                           \
      for (; i + piece <= count; i += piece)                                   \
        tritonSharedAddPiece##Name(at + i, values + i);                        \
    }                                                                          \
    for (; i < count; ++i)                                                     \
      tritonSharedAddOne##Name(at + i, values[i]);                             \
  }                                                                            \
                                                                               \
  TRITON_SHARED_WEAK void tritonSharedAddRow##Name(                            \
      int64_t memory, int64_t offsets, int64_t values, int64_t mask,           \
      int64_t count) {                                                         \
    Float *base = (Float *)(uintptr_t)memory;                                  \
    const int64_t *places = (const int64_t *)(uintptr_t)offsets;               \
    const Float *addends = (const Float *)(uintptr_t)values;                   \
    const uint8_t *isAdded = (const uint8_t *)(uintptr_t)mask;                 \
    for (int64_t i = 0, end; i < count; i = end) {                             \
      end = i + 1;                                                             \
      if (isAdded && !isAdded[i])                                              \
        continue;                                                              \
      while (end < count && places[end] == places[end - 1] + 1 &&              \
             (!isAdded || isAdded[end]))                                       \
        ++end;                                                                 \
      tritonSharedAddNeighbours##Name(base + places[i], addends + i, end - i); \
    }                                                                          \
  }

TRITON_SHARED_ROW_UPDATE(F32, float, uint32_t)
TRITON_SHARED_ROW_UPDATE(F64, double, uint64_t)
