// Floats of PTX, for the C that triton_shared.emulate.ptx writes: registers as
// numbers and back, and arithmetic and conversions that round as they say.

#ifndef TRITON_SHARED_EMULATE_FLOATS_H
#define TRITON_SHARED_EMULATE_FLOATS_H

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define PTX static inline __attribute__((unused))

// Registers as floats, and back.

#define DEFINE_BITS(FLOAT, WORD, NAME)                                         \
  PTX FLOAT NAME##_of(WORD bits) {                                             \
    FLOAT value;                                                               \
    memcpy(&value, &bits, sizeof(value));                                      \
    return value;                                                              \
  }                                                                            \
  PTX WORD bits_##NAME(FLOAT value) {                                          \
    WORD bits;                                                                 \
    memcpy(&bits, &value, sizeof(value));                                      \
    return bits;                                                               \
  }
DEFINE_BITS(float, uint32_t, f32)
DEFINE_BITS(double, uint64_t, f64)
DEFINE_BITS(_Float16, uint16_t, half)

// f16 and bf16 are computed in double: no sum or product of two needs more bits
// than that rounds rightly.
PTX double f16_of(uint16_t bits) { return (double)half_of(bits); }
PTX uint16_t bits_f16(double value) {
  return value == value ? bits_half((_Float16)value) : 0x7FFF;
}
PTX double bf16_of(uint16_t bits) { return f32_of((uint32_t)bits << 16); }
PTX uint16_t bits_bf16(double value) {
  if (value != value)
    return 0x7FFF;
  // To odd first, so that it is rounded once.
  float near = (float)value;
  uint32_t bits = bits_f32(near);
  if ((double)near != value && !(bits & 1) && isfinite(near))
    bits += ((double)near > value) == (near > 0) ? -1 : 1;
  return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

PTX float flush_f32(float x) {
  return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

// A GPU does not pass on the NaN of an operand.
PTX float one_nan(float x) { return x == x ? x : f32_of(0x7fffffffu); }

// Results that are rounded as `mode` says: z to zero, m down, p up. This
// machine rounds so itself; what is volatile stays between the two changes of
// its mode.
PTX void set_rounding(char mode) {
  fesetround(mode == 'z'   ? FE_TOWARDZERO
             : mode == 'm' ? FE_DOWNWARD
             : mode == 'p' ? FE_UPWARD
                           : FE_TONEAREST);
}
#define DEFINE_DIRECTED(NAME, FLOAT, GIVEN, EXPRESSION)                        \
  PTX FLOAT NAME(GIVEN a, GIVEN b, GIVEN c, char mode) {                       \
    volatile GIVEN x = a, y = b, z = c;                                        \
    set_rounding(mode);                                                        \
    volatile FLOAT made = EXPRESSION;                                          \
    set_rounding('n');                                                         \
    return made;                                                               \
  }
DEFINE_DIRECTED(add_f32, float, float, x + y)
DEFINE_DIRECTED(mul_f32, float, float, (x * y))
DEFINE_DIRECTED(div_f32, float, float, x / y)
DEFINE_DIRECTED(fma_f32, float, float, fmaf(x, y, z))
DEFINE_DIRECTED(sqrt_f32, float, float, sqrtf(x))
DEFINE_DIRECTED(add_f64, double, double, x + y)
DEFINE_DIRECTED(mul_f64, double, double, (x * y))
DEFINE_DIRECTED(div_f64, double, double, x / y)
DEFINE_DIRECTED(fma_f64, double, double, fma(x, y, z))
DEFINE_DIRECTED(sqrt_f64, double, double, sqrt(x))
DEFINE_DIRECTED(narrow_double, float, double, (float)x)
DEFINE_DIRECTED(whole_s64, double, int64_t, (double)x)
DEFINE_DIRECTED(whole_u64, double, uint64_t, (double)x)

// A double, to a narrower type; twice in one direction is once.
PTX float narrow_f32(double value, char mode) {
  return narrow_double(value, 0, 0, mode);
}
// The bits of a value that was rounded to nearest, whose number is `near`.
PTX uint16_t redirect(uint16_t bits, double near, double value, char mode) {
  int isAway = mode == (signbit(value) ? 'm' : 'p');
  if (fabs(near) < fabs(value))
    return bits + isAway;
  return fabs(near) > fabs(value) ? bits - !isAway : bits;
}
PTX double narrow_f16(double value, char mode) {
  uint16_t bits = bits_f16(value);
  return f16_of(redirect(bits, f16_of(bits), value, mode));
}
PTX double narrow_bf16(double value, char mode) {
  uint16_t bits = bits_bf16(value);
  return bf16_of(redirect(bits, bf16_of(bits), value, mode));
}
// Whole numbers; the way that some machines take to a double makes 0 negative.
PTX double whole_double(int64_t value, char mode) {
  return value ? whole_s64(value, 0, 0, mode) : 0;
}
PTX double whole_unsigned(uint64_t value, char mode) {
  return value ? whole_u64(value, 0, 0, mode) : 0;
}
// Inexact ones become odd, so that a narrower type rounds them once.
PTX double odd_double(int64_t value) {
  double near = whole_double(value, 'z');
  return (int64_t)near == value ? near : f64_of(bits_f64(near) | 1);
}
PTX double odd_unsigned(uint64_t value) {
  double near = whole_unsigned(value, 'z');
  return (uint64_t)near == value ? near : f64_of(bits_f64(near) | 1);
}

// 11 bits of a number, to nearest, ties to even.
PTX uint32_t bits_tf32(float value) {
  uint32_t bits = bits_f32(value);
  if (value != value)
    return 0x7fffffffu;
  return isfinite(value) ? (bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFFu : bits;
}

#endif
