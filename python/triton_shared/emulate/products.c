// Matrix products of a warp, and loads of their fragments: `mma.sync` and
// `ldmatrix`, as the PTX manual lays them out.

#include "shim.h"
#include <math.h>
#include <string.h>

/// Each half byte of `selector` picks a byte of two words, or its sign.
uint32_t emu_prmt(uint32_t low, uint32_t high, uint32_t selector) {
  uint64_t bytes = (uint64_t)high << 32 | low;
  uint32_t result = 0;
  for (int byte = 0; byte < 4; ++byte) {
    uint32_t code = selector >> (4 * byte);
    uint8_t picked = bytes >> (8 * (code & 7));
    if (code & 8)
      picked = picked & 0x80 ? 0xff : 0;
    result |= (uint32_t)picked << (8 * byte);
  }
  return result;
}

double decode(char type, const void *word, int element) {
  uint32_t bits = *(const uint32_t *)word;
  uint16_t half = bits >> (16 * (element & 1));
  float value;
  _Float16 small;
  switch (type) {
  case 'd': // f64
    return *(const double *)word;
  case 's': // s8
    return (int8_t)(bits >> (8 * element));
  case 'u': // u8
    return (uint8_t)(bits >> (8 * element));
  case '5': // e5m2: the upper half of an f16
    half = (uint16_t)(bits >> (8 * element) << 8);
    memcpy(&small, &half, 2);
    return small;
  case '4': // e4m3
    return decode_e4m3(bits >> (8 * element));
  case 'h': // f16
    memcpy(&small, &half, 2);
    return small;
  case 'b': // bf16
    bits = (uint32_t)half << 16;
    break;
  case 'f':
    break;
  default: // tf32: the low bits do not count
    bits &= 0xFFFFE000u;
  }
  memcpy(&value, &bits, 4);
  return value;
}

enum { kMaxDepth = 32 };

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
    // Products of doubles are added one after the other, each rounded once.
    double sum = type == 'd' ? ((double *)sums)[i] : 0;
    float exactLeft[kMaxDepth], exactRight[kMaxDepth];
    for (int j = 0; j < k; ++j) {
      int among = j / per % 4, group = j / (4 * per);
      const char *a = operands[warp + row % 8 * 4 + among].left;
      const char *b = operands[warp + column * 4 + among].right;
      int words = m == 16 ? 2 : 1;
      double x = decode(type, a + (row / 8 + words * group) * bytes, j % per);
      double y = decode(type, b + group * bytes, j % per);
      exactLeft[j] = x;
      exactRight[j] = y;
      sum = type == 'd' ? fma(x, y, sum) : sum + x * y;
    }
    char types[] = {'f', type, type};
    if (type == 's')
      ((int32_t *)sums)[i] += (int32_t)sum;
    else if (type == 'd')
      ((double *)sums)[i] = sum;
    else if (!add_exactly('m', types, exactLeft, exactRight, k,
                          (float *)sums + i))
      ((float *)sums)[i] += sum;
  }
  // Others may still read these operands.
  exchange(~0u, 0, 0);
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

// The same way back: a lane stores its part of the rows that others name.
static void store_matrices(const char *row, int count, int isTransposed,
                           const uint32_t *words) {
  int warp = current / kWarp * kWarp, lane = current % kWarp;
  rows[current] = row;
  exchange(~0u, 0, 0);
  for (int matrix = 0; matrix < count; ++matrix) {
    const char **named = &rows[warp + 8 * matrix];
    const char *pair = (const char *)&words[matrix];
    for (int i = 0; i < 2; ++i) {
      int inRow = lane % 4 * 2 + i, across = lane / 4;
      char *to = (char *)(isTransposed ? named[inRow] + 2 * across
                                       : named[across] + 2 * inRow);
      emu_access(to, 2, 2, 3, pair + 2 * i);
      memcpy(to, pair + 2 * i, 2);
    }
  }
  exchange(~0u, 0, 0);
}

void emu_stmatrix(const char *row, int count, int isTransposed,
                  const uint32_t *words) {
  store_matrices(row, count, isTransposed, words);
}

#define LIST(...) __VA_ARGS__
#define DEFINE_STORES(COUNT, PARAMETERS, WORDS)                                \
  void emu_stmatrix_sync_aligned_m8n8_x##COUNT##_b16_p3(const char *row,       \
                                                        LIST PARAMETERS) {     \
    store_matrices(row, COUNT, 0, (uint32_t[]){LIST WORDS});                   \
  }                                                                            \
  void emu_stmatrix_sync_aligned_m8n8_x##COUNT##_trans_b16_p3(                 \
      const char *row, LIST PARAMETERS) {                                      \
    store_matrices(row, COUNT, 1, (uint32_t[]){LIST WORDS});                   \
  }
DEFINE_STORES(1, (uint32_t a), (a))
DEFINE_STORES(2, (uint32_t a, uint32_t b), (a, b))
DEFINE_STORES(4, (uint32_t a, uint32_t b, uint32_t c, uint32_t d), (a, b, c, d))
