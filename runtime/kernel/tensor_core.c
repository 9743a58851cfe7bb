/*===- tensor_core.c - Matrix products as tensor cores compute them -------===*\
|*                                                                            *|
|* A tensor core adds up a block of products and the sum so far at once: all  *|
|* are cut off at the same bit, so many below the largest exponent, added as  *|
|* integers, and the result is cut off or rounded. Integers do just that.     *|
|* Which numbers an instruction has, TensorCores.def says.         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below all exponents of products, with room for sums of two. */
#define TRITON_SHARED_NO_EXPONENT (-4096)
/* Nothing is aligned to a smaller one. Measured on an H200 (bit_exact.py). */
#define TRITON_SHARED_LEAST_EXPONENT (-133)
/* Shifts by as much leave nothing of 32 bits. */
#define TRITON_SHARED_ALL_BITS 31
#define TRITON_SHARED_NAN 0x7fffffffu
#define TRITON_SHARED_INFINITY 0x7f800000u
#define TRITON_SHARED_LONGEST_BLOCK 32

/* A binary format: exponents of normal numbers begin at `least`, and the
   significand has `fraction` bits behind the point. */
struct TritonSharedFormat {
  int32_t fraction, least;
};

static struct TritonSharedFormat tritonSharedFormatOf(int32_t kind) {
  static const struct TritonSharedFormat formats[] = {
      {23, -126}, /* f32 */
      {10, -14},  /* f16 */
      {7, -126},  /* bf16 */
      {3, -6},    /* e4m3 */
      {2, -14},   /* e5m2 */
      {10, -126}, /* tf32, twice */
      {10, -126},
  };
  return formats[kind];
}

static float tritonSharedFloatOf(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t tritonSharedBitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* A number of fewer bits than f32 has, as that: `exponentBits` and
   `fractionBits` below a sign. All ones are no infinity in e4m3. */
static float tritonSharedWiden(uint32_t bits, int32_t exponentBits,
                               int32_t fractionBits, int32_t hasInfinity) {
  uint32_t fraction = bits & ((1u << fractionBits) - 1);
  uint32_t ones = (1u << exponentBits) - 1;
  uint32_t field = bits >> fractionBits & ones;
  uint32_t sign = bits >> (exponentBits + fractionBits) & 1;
  int32_t bias = (int32_t)(ones >> 1);
  float value;
  if (field == ones && (hasInfinity || fraction == (1u << fractionBits) - 1))
    return tritonSharedFloatOf(
        sign << 31 | TRITON_SHARED_INFINITY |
        (hasInfinity ? fraction << (23 - fractionBits) : 1u << 22));
  if (field == 0)
    value = ldexpf((float)fraction, 1 - bias - fractionBits);
  else
    value = tritonSharedFloatOf((uint32_t)((int32_t)field - bias + 127) << 23 |
                                fraction << (23 - fractionBits));
  return sign ? -value : value;
}

/* The number `kind` at `place`, as f32, which holds all of them. */
static float tritonSharedReadNumber(const char *place, int32_t kind) {
  uint32_t word;
  uint16_t half;
  uint8_t byte;
  switch (kind) {
  case TRITON_SHARED_F16:
    memcpy(&half, place, sizeof half);
    return tritonSharedWiden(half, 5, 10, 1);
  case TRITON_SHARED_BF16:
    memcpy(&half, place, sizeof half);
    return tritonSharedFloatOf((uint32_t)half << 16);
  case TRITON_SHARED_E4M3:
    memcpy(&byte, place, sizeof byte);
    return tritonSharedWiden(byte, 4, 3, 0);
  case TRITON_SHARED_E5M2:
    memcpy(&byte, place, sizeof byte);
    return tritonSharedWiden(byte, 5, 2, 1);
  default:
    memcpy(&word, place, sizeof word);
    return tritonSharedFloatOf(word);
  }
}

static int32_t tritonSharedBytesOf(int32_t kind) {
  return kind == TRITON_SHARED_F16 || kind == TRITON_SHARED_BF16    ? 2
         : kind == TRITON_SHARED_E4M3 || kind == TRITON_SHARED_E5M2 ? 1
                                                                    : 4;
}

/* `value` as an instruction reads it: tf32 has 13 bits fewer than f32, which
   `cvt.rna.tf32` rounds, ties away from zero, and others leave out. */
static float tritonSharedRoundOperand(float value, int32_t kind) {
  const uint32_t dropped = (1u << 13) - 1;
  uint32_t bits = tritonSharedBitsOf(value);
  if ((bits & TRITON_SHARED_INFINITY) == TRITON_SHARED_INFINITY)
    return value;
  if (kind == TRITON_SHARED_TF32_NEAREST)
    bits += 1u << 12;
  if (kind == TRITON_SHARED_TF32_NEAREST || kind == TRITON_SHARED_TF32_CUT)
    bits &= ~dropped;
  return tritonSharedFloatOf(bits);
}

/* A finite number as `significand` * 2^(exponent - fraction). */
static void tritonSharedSplit(float value, struct TritonSharedFormat format,
                              int32_t *significand, int32_t *exponent) {
  uint32_t bits = tritonSharedBitsOf(value);
  int32_t field = (int32_t)(bits >> 23 & 0xff);
  int64_t magnitude = bits & 0x7fffff;
  int32_t own = field ? field - 127 : -126;
  if (field)
    magnitude |= 1 << 23;
  if (magnitude == 0) {
    *significand = 0;
    *exponent = TRITON_SHARED_NO_EXPONENT;
    return;
  }
  /* bf16 and tf32 have f32's denormals; smaller formats' are normal in f32. */
  *exponent = own < format.least ? format.least : own;
  magnitude >>= 23 - format.fraction + (*exponent - own);
  *significand = (int32_t)(bits >> 31 ? -magnitude : magnitude);
}

/* Rows of one operand, as integers along K. */
struct TritonSharedOperand {
  int32_t *significands, *exponents;
  /* As they are read; and for each row if one is infinite or NaN. */
  float *values;
  char *isSpecial;
};

static int32_t tritonSharedReadOperand(struct TritonSharedOperand *operand,
                                       const char *memory, int64_t rowStride,
                                       int64_t depthStride, int64_t rows,
                                       int64_t depth, int32_t memoryKind,
                                       int32_t kind) {
  struct TritonSharedFormat format = tritonSharedFormatOf(kind);
  int64_t bytes = tritonSharedBytesOf(memoryKind);
  size_t count = (size_t)(rows * depth);
  operand->significands = (int32_t *)malloc(count * sizeof(int32_t) + 1);
  operand->exponents = (int32_t *)malloc(count * sizeof(int32_t) + 1);
  operand->values = (float *)malloc(count * sizeof(float) + 1);
  operand->isSpecial = (char *)calloc((size_t)rows + 1, 1);
  if (!operand->significands || !operand->exponents || !operand->values ||
      !operand->isSpecial)
    return 0;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t k = 0; k < depth; ++k) {
      const char *place = memory + (row * rowStride + k * depthStride) * bytes;
      float value = tritonSharedRoundOperand(
          tritonSharedReadNumber(place, memoryKind), kind);
      size_t at = (size_t)(row * depth + k);
      operand->values[at] = value;
      if (!isfinite(value)) {
        operand->isSpecial[row] = 1;
        value = 0;
      }
      tritonSharedSplit(value, format, &operand->significands[at],
                        &operand->exponents[at]);
    }
  return 1;
}

static void tritonSharedFreeOperand(struct TritonSharedOperand *operand) {
  free(operand->significands);
  free(operand->exponents);
  free(operand->values);
  free(operand->isSpecial);
}

/* `sum` * 2^scale in f16, ties to even, as an f32. */
static float tritonSharedRoundToHalf(int64_t sum, int32_t scale) {
  uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
  int32_t exponent = scale + 63 - __builtin_clzll(magnitude);
  if (exponent < -14)
    exponent = -14;
  int32_t shift = exponent - 10 - scale;
  uint64_t kept = magnitude;
  if (shift > 63) {
    kept = 0;
  } else if (shift > 0) {
    uint64_t half = (uint64_t)1 << (shift - 1);
    uint64_t rest = magnitude & (2 * half - 1);
    kept = magnitude >> shift;
    kept += rest > half || (rest == half && (kept & 1));
  } else {
    kept = magnitude << -shift;
  }
  if (!kept)
    return 0.0f;
  float value = ldexpf((float)kept, exponent - 10);
  if (value > 65504.0f)
    value = tritonSharedFloatOf(TRITON_SHARED_INFINITY);
  return sum < 0 ? -value : value;
}

/* `sum` * 2^scale, cut off to f32 with `fraction` bits. */
static float tritonSharedCutOff(int64_t sum, int32_t scale, int32_t fraction) {
  uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
  uint32_t sign = sum < 0 ? 1u << 31 : 0;
  int32_t exponent = scale + 63 - __builtin_clzll(magnitude);
  if (exponent > 127)
    return tritonSharedFloatOf(sign | TRITON_SHARED_INFINITY);
  if (exponent < -126)
    exponent = -126;
  int32_t shift = exponent - fraction - scale;
  if (shift > 63)
    return tritonSharedFloatOf(0);
  magnitude = shift > 0 ? magnitude >> shift : magnitude << -shift;
  uint32_t bits = (uint32_t)magnitude << (23 - fraction);
  if (!magnitude)
    return tritonSharedFloatOf(0);
  if (bits >> 23)
    bits = (uint32_t)(exponent + 127) << 23 | (bits & 0x7fffff);
  return tritonSharedFloatOf(sign | bits);
}

/* A block with infinities or NaNs: what is added, not how exactly, decides. */
static float tritonSharedAddSpecial(const float *left, const float *right,
                                    int32_t count, float sum) {
  double total = sum;
  for (int32_t k = 0; k < count; ++k)
    total += (double)left[k] * right[k];
  if (isnan(total))
    return tritonSharedFloatOf(TRITON_SHARED_NAN);
  return (float)total;
}

/* One result, from `first` on along K. */
struct TritonSharedRow {
  const int32_t *leftSignificands, *leftExponents;
  const int32_t *rightSignificands, *rightExponents;
};

/* The sum of `count` products and `sum`: how much, and of which power of 2. */
static inline __attribute__((always_inline)) int64_t tritonSharedAddBlock(
    struct TritonSharedRow row, int32_t count, int32_t up, int64_t sum,
    int32_t sumExponent, int32_t sumUp, int32_t *largest) {
  int32_t products[TRITON_SHARED_LONGEST_BLOCK];
  int32_t exponents[TRITON_SHARED_LONGEST_BLOCK];
  int32_t most = sumExponent > TRITON_SHARED_LEAST_EXPONENT
                     ? sumExponent
                     : TRITON_SHARED_LEAST_EXPONENT;
  for (int32_t k = 0; k < count; ++k) {
    products[k] = row.leftSignificands[k] * row.rightSignificands[k];
    exponents[k] = row.leftExponents[k] + row.rightExponents[k];
  }
  for (int32_t k = 0; k < count; ++k)
    most = exponents[k] > most ? exponents[k] : most;
  int64_t total = 0;
  for (int32_t k = 0; k < count; ++k) {
    int32_t by = most - exponents[k];
    uint32_t product = (uint32_t)products[k], sign = product >> 31;
    uint32_t magnitude = (sign ? 0 - product : product) << up;
    magnitude >>= by > TRITON_SHARED_ALL_BITS ? TRITON_SHARED_ALL_BITS : by;
    total += (int32_t)(sign ? 0 - magnitude : magnitude);
  }
  /* With room for the bits that are cut off. */
  int32_t by = most - sumExponent + 16 - sumUp;
  int64_t magnitude = (sum < 0 ? -sum : sum) << 16;
  magnitude = by > 62 ? 0 : magnitude >> by;
  *largest = most;
  return total + (sum < 0 ? -magnitude : magnitude);
}

static inline __attribute__((always_inline)) float
tritonSharedAddFinite(struct TritonSharedRow row, int32_t count, int32_t up,
                      float sum, const struct TritonSharedTensorCore *core) {
  struct TritonSharedFormat format = tritonSharedFormatOf(core->sum);
  int32_t significand, exponent, most;
  tritonSharedSplit(sum, format, &significand, &exponent);
  int32_t sumUp = core->fraction - format.fraction;
  int64_t total;
  if (count == 16)
    total =
        tritonSharedAddBlock(row, 16, up, significand, exponent, sumUp, &most);
  else if (count == 8)
    total =
        tritonSharedAddBlock(row, 8, up, significand, exponent, sumUp, &most);
  else if (count == 32)
    total =
        tritonSharedAddBlock(row, 32, up, significand, exponent, sumUp, &most);
  else
    total = tritonSharedAddBlock(row, count, up, significand, exponent, sumUp,
                                 &most);
  if (total == 0)
    return 0.0f;
  if (core->sum == TRITON_SHARED_F16)
    return tritonSharedRoundToHalf(total, most - core->fraction);
  return tritonSharedCutOff(total, most - core->fraction, core->result);
}

/* All of K for one result. */
static float tritonSharedAddUp(const struct TritonSharedOperand *left,
                               int64_t row,
                               const struct TritonSharedOperand *right,
                               int64_t column, int64_t depth, int32_t up,
                               float sum,
                               const struct TritonSharedTensorCore *core) {
  int isSpecial = left->isSpecial[row] || right->isSpecial[column];
  int64_t part = core->part > 0 ? core->part : depth;
  float own = core->part > 0 ? 0.0f : sum;
  for (int64_t k = 0; k < depth; k += core->block) {
    int64_t leftAt = row * depth + k, rightAt = column * depth + k;
    int32_t count =
        (int32_t)(depth - k < core->block ? depth - k : core->block);
    struct TritonSharedRow block = {
        left->significands + leftAt, left->exponents + leftAt,
        right->significands + rightAt, right->exponents + rightAt};
    if (isSpecial || !isfinite(own))
      own = tritonSharedAddSpecial(left->values + leftAt,
                                   right->values + rightAt, count, own);
    else
      own = tritonSharedAddFinite(block, count, up, own, core);
    if (core->part > 0 &&
        ((k + core->block) % part == 0 || k + core->block >= depth)) {
      sum += own;
      if (isnan(sum))
        sum = tritonSharedFloatOf(TRITON_SHARED_NAN);
      own = 0.0f;
    }
  }
  return core->part > 0 ? sum : own;
}

TRITON_SHARED_WEAK int32_t tritonSharedTensorCoreMultiply(
    const struct TritonSharedTensorCore *core,
    const struct TritonSharedMatrix *a, const struct TritonSharedMatrix *b,
    const struct TritonSharedMatrix *c, int64_t rows, int64_t columns,
    int64_t depth) {
  struct TritonSharedOperand left = {0}, right = {0};
  int32_t isDone = tritonSharedReadOperand(&left, (const char *)a->memory,
                                           a->rowStride, a->columnStride, rows,
                                           depth, a->kind, core->left) &&
                   tritonSharedReadOperand(
                       &right, (const char *)b->memory, b->columnStride,
                       b->rowStride, columns, depth, b->kind, core->right);
  int32_t up = core->fraction - tritonSharedFormatOf(core->left).fraction -
               tritonSharedFormatOf(core->right).fraction;
  for (int64_t row = 0; isDone && row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      float *place =
          (float *)c->memory + row * c->rowStride + column * c->columnStride;
      *place = tritonSharedAddUp(&left, row, &right, column, depth, up, *place,
                                 core);
    }
  tritonSharedFreeOperand(&left);
  tritonSharedFreeOperand(&right);
  return isDone;
}

/* The number of `matrix` in `row` and `column`, as f64, which holds all. */
static double tritonSharedReadElement(const struct TritonSharedMatrix *matrix,
                                      int64_t row, int64_t column) {
  int64_t at = row * matrix->rowStride + column * matrix->columnStride;
  if (matrix->kind == TRITON_SHARED_F64)
    return ((const double *)matrix->memory)[at];
  return tritonSharedReadNumber((const char *)matrix->memory +
                                    at * tritonSharedBytesOf(matrix->kind),
                                matrix->kind);
}

/* Without tensor cores: one product after the other, each rounded once. */
static void tritonSharedMultiplyAdd(const struct TritonSharedMatrix *a,
                                    const struct TritonSharedMatrix *b,
                                    const struct TritonSharedMatrix *c,
                                    int64_t rows, int64_t columns,
                                    int64_t depth) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      int64_t at = row * c->rowStride + column * c->columnStride;
      double sum = tritonSharedReadElement(c, row, column);
      for (int64_t k = 0; k < depth; ++k) {
        double left = tritonSharedReadElement(a, row, k);
        double right = tritonSharedReadElement(b, k, column);
        sum = c->kind == TRITON_SHARED_F64
                  ? fma(left, right, sum)
                  : (double)fmaf((float)left, (float)right, (float)sum);
      }
      if (c->kind == TRITON_SHARED_F64)
        ((double *)c->memory)[at] = sum;
      else
        ((float *)c->memory)[at] =
            isnan(sum) ? tritonSharedFloatOf(TRITON_SHARED_NAN) : (float)sum;
    }
}

TRITON_SHARED_WEAK void tritonSharedTensorCoreDot(
    int64_t a, int64_t aRow, int64_t aColumn, int32_t aKind, int64_t b,
    int64_t bRow, int64_t bColumn, int32_t bKind, int64_t c, int64_t cRow,
    int64_t cColumn, int32_t cKind, int64_t rows, int64_t columns,
    int64_t depth, int32_t left, int32_t right, int32_t sum, int32_t block,
    int32_t fraction, int32_t result, int32_t part) {
  struct TritonSharedMatrix first = {(void *)(intptr_t)a, aRow, aColumn, aKind};
  struct TritonSharedMatrix second = {(void *)(intptr_t)b, bRow, bColumn,
                                      bKind};
  struct TritonSharedMatrix third = {(void *)(intptr_t)c, cRow, cColumn, cKind};
  struct TritonSharedTensorCore core = {left,     right,  sum, block,
                                        fraction, result, part};
  if (block == 0)
    tritonSharedMultiplyAdd(&first, &second, &third, rows, columns, depth);
  else if (!tritonSharedTensorCoreMultiply(&core, &first, &second, &third, rows,
                                           columns, depth))
    abort();
}
