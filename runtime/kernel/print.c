/*===- print.c - Lines that kernels print ---------------------------------===*/

#include "kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TRITON_SHARED_WEAK struct TritonSharedLine *tritonSharedLineOfThread(void) {
  static __thread struct TritonSharedLine line = {NULL, 0, 0, -1};
  return &line;
}

/* Makes room for `size` more characters and a zero. */
static char *tritonSharedGrowLine(size_t size) {
  struct TritonSharedLine *line = tritonSharedLineOfThread();
  if (line->size + size + 1 > line->capacity) {
    line->capacity = 2 * (line->size + size + 1);
    line->text = (char *)realloc(line->text, line->capacity);
    if (!line->text)
      abort();
  }
  return line->text + line->size;
}

__attribute__((format(printf, 1, 2))) static void
tritonSharedAppend(const char *format, ...) {
  va_list values, again;
  int size;
  va_start(values, format);
  va_copy(again, values);
  size = vsnprintf(NULL, 0, format, values);
  vsnprintf(tritonSharedGrowLine((size_t)size), (size_t)size + 1, format,
            again);
  tritonSharedLineOfThread()->size += (size_t)size;
  va_end(again);
  va_end(values);
}

TRITON_SHARED_WEAK void tritonSharedPrintBegin(int32_t x, int32_t y,
                                               int32_t z) {
  tritonSharedLineOfThread()->size = 0;
  tritonSharedLineOfThread()->indices = -1;
  tritonSharedAppend("pid (%d, %d, %d)", x, y, z);
}

TRITON_SHARED_WEAK void tritonSharedPrintIndices(void) {
  tritonSharedLineOfThread()->indices = 0;
  tritonSharedAppend(" idx (");
}

TRITON_SHARED_WEAK void tritonSharedPrintIndex(int64_t index, int32_t digits) {
  const char *before = tritonSharedLineOfThread()->indices++ ? ", " : "";
  tritonSharedAppend("%s%*lld", before, (int)digits, (long long)index);
}

TRITON_SHARED_WEAK void tritonSharedPrintText(const char *text, int64_t size) {
  if (tritonSharedLineOfThread()->indices >= 0)
    tritonSharedAppend(")");
  tritonSharedLineOfThread()->indices = -1;
  memcpy(tritonSharedGrowLine((size_t)size), text, (size_t)size);
  tritonSharedLineOfThread()->size += (size_t)size;
}

TRITON_SHARED_WEAK void tritonSharedPrintInteger(int64_t value, int32_t bits,
                                                 int32_t isSigned,
                                                 int32_t hex) {
  uint64_t shown = (uint64_t)value;
  if (hex && bits > 0 && bits < 64)
    shown &= ((uint64_t)1 << bits) - 1;
  if (hex)
    tritonSharedAppend("0x%0*llx", (int)((bits + 3) / 4),
                       (unsigned long long)shown);
  else if (isSigned)
    tritonSharedAppend("%lld", (long long)value);
  else
    tritonSharedAppend("%llu", (unsigned long long)shown);
}

TRITON_SHARED_WEAK void tritonSharedPrintFloat(double value) {
  /* The sign of a NaN is an accident of how it was computed. */
  if (value != value)
    tritonSharedAppend("nan");
  else
    tritonSharedAppend("%f", value);
}

TRITON_SHARED_WEAK void tritonSharedPrintEnd(void) {
  struct TritonSharedLine *line = tritonSharedLineOfThread();
  tritonSharedAppend("\n");
  fwrite(line->text, 1, line->size, stdout);
  fflush(stdout);
  free(line->text);
  line->text = NULL;
  line->size = line->capacity = 0;
}
