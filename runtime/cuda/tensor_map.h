/*===- tensor_map.h - Tensor maps, encoded from arguments ---------*- C -*-===*\
|*                                                                            *|
|* A tensor map tells the copy engine of a GPU (TMA) where a tensor lies and  *|
|* which boxes of it are copied. The kernel's metadata has a recipe for each; *|
|* a launch reads the numbers off the arguments, checks what the engine asks  *|
|* of them, and has the driver encode 128 bytes, which are passed by value.   *|
|* Dimensions are in the order of the tensor, the last is that of neighbours. *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TRITON_SHARED_RUNTIME_CUDA_TENSOR_MAP_H
#define TRITON_SHARED_RUNTIME_CUDA_TENSOR_MAP_H

#include "driver.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  tritonSharedMapRank = 5,
  /* Of a map that may be missing: the most that a size may be, and the first
     number at which no box may begin. */
  tritonSharedMostOfLaunch = 1 << 30
};

/* CUtensorMap */
struct TritonSharedTensorMap {
  uint64_t words[16];
} __attribute__((aligned(64)));

/* A number that a launch knows. */
struct TritonSharedMapNumber {
  /* Where it stands among the kernel's arguments; -1: it is a constant. */
  int argument;
  int64_t constant;
  /* Of an argument, which is an integer: its size, and its name in errors. */
  unsigned bytes;
  bool isUnsigned;
  const char *name;
};

struct TritonSharedTensorMapRecipe {
  const char *kernel;
  /* As MLIR writes it: "f16". */
  const char *element;
  unsigned rank;
  struct TritonSharedMapNumber base;
  /* In elements. */
  struct TritonSharedMapNumber sizes[tritonSharedMapRank];
  struct TritonSharedMapNumber strides[tritonSharedMapRank];
  uint32_t box[tritonSharedMapRank];
  /* 0, 32, 64 or 128 bytes. */
  unsigned swizzle;
  /* Whether NaN is read outside of the tensor; else zeros. */
  struct TritonSharedMapNumber fillsWithNan;
  /* Whether a launch without the map goes another way. Then boxes may begin
     beyond a tensor's end, where coordinates must have 32 bits: its sizes that
     are arguments are at most 2^30. */
  bool mayBeMissing;
};

/* What a tensor map is made of, at one launch. Equal bytes give equal maps. */
struct TritonSharedMapValues {
  uint64_t base;
  int64_t sizes[tritonSharedMapRank], strides[tritonSharedMapRank];
  int64_t fillsWithNan;
};

static inline int64_t
tritonSharedReadNumber(const struct TritonSharedMapNumber *number,
                       void *const *arguments) {
  const void *place;
  uint64_t bits = 0, sign;
  if (number->argument < 0)
    return number->constant;
  place = arguments[number->argument];
  memcpy(&bits, place, number->bytes); /* GPUs have little-endian hosts. */
  if (number->isUnsigned || number->bytes == sizeof bits)
    return (int64_t)bits;
  sign = (uint64_t)1 << (8 * number->bytes - 1);
  return (int64_t)((bits ^ sign) - sign);
}

/* `arguments[i]` points at the value of parameter i. */
static inline struct TritonSharedMapValues
tritonSharedReadMapValues(const struct TritonSharedTensorMapRecipe *recipe,
                          void *const *arguments) {
  struct TritonSharedMapValues values;
  unsigned i;
  memset(&values, 0, sizeof values);
  values.base = (uint64_t)tritonSharedReadNumber(&recipe->base, arguments);
  values.fillsWithNan =
      tritonSharedReadNumber(&recipe->fillsWithNan, arguments) != 0;
  for (i = 0; i < recipe->rank; ++i) {
    values.sizes[i] = tritonSharedReadNumber(&recipe->sizes[i], arguments);
    values.strides[i] = tritonSharedReadNumber(&recipe->strides[i], arguments);
  }
  return values;
}

/* CUtensorMapDataType and the size of an element. Bytes are bytes. */
static inline int tritonSharedMapType(const char *element, unsigned *bytes) {
  static const struct {
    const char *element;
    int type;
    unsigned bytes;
  } types[] = {{"f16", 6, 2}, {"bf16", 9, 2}, {"f32", 7, 4}, {"f64", 8, 8},
               {"i16", 1, 2}, {"i32", 3, 4},  {"i64", 5, 8}};
  size_t i;
  for (i = 0; i < sizeof types / sizeof *types; ++i) {
    if (!strcmp(types[i].element, element)) {
      *bytes = types[i].bytes;
      return types[i].type;
    }
  }
  *bytes = 1;
  return 0; /* UINT8 */
}

/* Says whether the copy engine can do with the values; if not, `text`, which
   may be null, says why not, cut off after `capacity`. */
static inline bool
tritonSharedCheckMapValues(const struct TritonSharedTensorMapRecipe *recipe,
                           const struct TritonSharedMapValues *values,
                           char *text, size_t capacity) {
  const int64_t mostElements = (int64_t)1 << 32, endOfBytes = (int64_t)1 << 40;
  unsigned i, bytes;
  tritonSharedMapType(recipe->element, &bytes);
  if (values->fillsWithNan && bytes == 1) {
    snprintf(
        text, capacity,
        "argument '%s' of kernel '%s' asks for NaN outside of tensor '%s': "
        "the kernel copies from there by TMA, which fills elements of 8 "
        "bits with zeros only\npass a descriptor with padding=\"zero\"",
        recipe->fillsWithNan.name, recipe->kernel, recipe->base.name);
    return false;
  }
  if (values->base % 16 || !values->base) {
    snprintf(text, capacity,
             "argument '%s' of kernel '%s' lies at address 0x%" PRIx64 ": the "
             "kernel copies from there by TMA, which takes memory that begins "
             "at a multiple of 16 bytes\npass a tensor that begins there, such "
             "as a copy of this one",
             recipe->base.name, recipe->kernel, values->base);
    return false;
  }
  for (i = 0; i < recipe->rank; ++i) {
    bool isOfLaunch = recipe->mayBeMissing && recipe->sizes[i].argument >= 0;
    int64_t most =
        isOfLaunch ? (int64_t)tritonSharedMostOfLaunch : mostElements;
    if (values->sizes[i] >= 1 && values->sizes[i] <= most)
      continue;
    snprintf(text, capacity,
             "argument '%s' of kernel '%s' is %" PRId64 ": the kernel copies "
             "from tensor '%s' by TMA, which takes 1 to 2^32 elements along a "
             "dimension\nlaunch no kernel for a tensor without elements",
             recipe->sizes[i].name, recipe->kernel, values->sizes[i],
             recipe->base.name);
    return false;
  }
  for (i = 0; i + 1 < recipe->rank; ++i) {
    int64_t stride = values->strides[i];
    if (stride >= 0 && stride < endOfBytes / bytes && stride * bytes % 16 == 0)
      continue;
    snprintf(text, capacity,
             "argument '%s' of kernel '%s' is %" PRId64 ", in elements of %u "
             "bytes: the kernel copies from tensor '%s' by TMA, which takes "
             "strides that are multiples of 16 bytes and below 2^40\n"
             "pad the rows of the tensor, or pass a contiguous copy",
             recipe->strides[i].name, recipe->kernel, stride, bytes,
             recipe->base.name);
    return false;
  }
  return true;
}

/* Encodes a tensor map of values that were checked. Gives the driver's
   CUresult. */
static inline int
tritonSharedEncodeTensorMap(const struct TritonSharedDriver *driver,
                            const struct TritonSharedTensorMapRecipe *recipe,
                            const struct TritonSharedMapValues *values,
                            struct TritonSharedTensorMap *map) {
  enum { noInterleave = 0, promoteTo128Bytes = 2 };
  uint64_t sizes[tritonSharedMapRank], strides[tritonSharedMapRank];
  uint32_t box[tritonSharedMapRank], steps[tritonSharedMapRank];
  unsigned i, bytes, last = recipe->rank - 1;
  int type = tritonSharedMapType(recipe->element, &bytes);
  int swizzle = recipe->swizzle == 128  ? 3
                : recipe->swizzle == 64 ? 2
                : recipe->swizzle == 32 ? 1
                                        : 0;
  for (i = 0; i <= last; ++i) {
    sizes[i] = (uint64_t)values->sizes[last - i];
    box[i] = recipe->box[last - i];
    steps[i] = 1;
  }
  /* The driver takes no stride for neighbours. */
  for (i = 0; i < last; ++i)
    strides[i] = (uint64_t)values->strides[last - 1 - i] * bytes;
  return driver->cuTensorMapEncodeTiled(
      map, type, recipe->rank, (void *)(uintptr_t)values->base, sizes, strides,
      box, steps, noInterleave, swizzle, promoteTo128Bytes,
      (int)values->fillsWithNan);
}

#endif /* TRITON_SHARED_RUNTIME_CUDA_TENSOR_MAP_H */
