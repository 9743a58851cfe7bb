/*===- bfloat16.c - Rounding to bf16 --------------------------------------===*/

#include "kernel.h"

#include <string.h>

TRITON_SHARED_WEAK float __truncsfbf2(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = (bits & 0x7fffffff) > 0x7f800000
             ? bits >> 16 | 0x40
             : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  memcpy(&value, &bits, sizeof bits);
  return value;
}

/* With one rounding: a float that is not exact gets an odd last bit, which
   keeps ties apart. */
TRITON_SHARED_WEAK float __truncdfbf2(double value) {
  float near = (float)value;
  if ((double)near != value && near == near) {
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    bits = (((double)near > value) == (near > 0) ? bits - 1 : bits) | 1;
    memcpy(&near, &bits, sizeof near);
  }
  return __truncsfbf2(near);
}
