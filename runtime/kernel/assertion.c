/*===- assertion.c - Assertions of kernels --------------------------------===*/

#include "kernel.h"

#include <stdio.h>

TRITON_SHARED_WEAK int tritonSharedDescribeFailure(
    char *text, size_t capacity, const char *where, int64_t whereSize,
    const char *message, int64_t messageSize, int32_t x, int32_t y, int32_t z) {
  return snprintf(text, capacity,
                  "%.*s%spid (%d, %d, %d): assertion failed%s%.*s",
                  (int)whereSize, where, whereSize ? ": " : "", x, y, z,
                  messageSize ? ": " : "", (int)messageSize, message);
}
