// Floats of 8 bits, as the PTX manual's `cvt` makes and takes them.

#include "shim.h"
#include <math.h>
#include <string.h>

double decode_e4m3(uint8_t bits) {
  if ((bits & 0x7F) == 0x7F)
    return NAN;
  int exponent = bits >> 3 & 15, mantissa = bits & 7;
  double size =
      exponent ? ldexp(8 + mantissa, exponent - 10) : ldexp(mantissa, -9);
  return bits & 0x80 ? -size : size;
}

/// To nearest, ties to even; what is too large becomes the largest.
static uint8_t narrow(double value, int mantissa, int bias, int most) {
  uint8_t sign = signbit(value) ? 0x80 : 0;
  double size = fabs(value);
  if (size != size)
    return 0x7F;
  int exponent;
  frexp(size, &exponent);
  int least = 1 - bias;
  exponent = exponent - 1 < least ? least : exponent - 1;
  double steps = rint(ldexp(size, mantissa - exponent));
  int64_t bits =
      size == 0 ? 0
      : steps > 0x1p20
          ? most
          : (int64_t)steps + ((int64_t)(exponent - least) << mantissa);
  return sign | (uint8_t)(bits > most ? most : bits);
}
uint8_t bits_e4m3(double value) { return narrow(value, 3, 7, 0x7E); }
uint8_t bits_e5m2(double value) { return narrow(value, 2, 15, 0x7B); }

/// Two f16, in the register in which LLVM passes a `<2 x half>`.
static float widen_pair(char type, uint16_t pair) {
  _Float16 halves[2];
  uint32_t word = pair;
  for (int element = 0; element < 2; ++element)
    halves[element] = (_Float16)decode(type, &word, element);
  float result;
  memcpy(&result, halves, sizeof result);
  return result;
}
float emu_e4m3x2_to_f16x2_rn(uint16_t pair) { return widen_pair('4', pair); }
float emu_e5m2x2_to_f16x2_rn(uint16_t pair) { return widen_pair('5', pair); }

uint16_t emu_ff_to_e4m3x2_rn(float upper, float lower) {
  return (uint16_t)(bits_e4m3(upper) << 8 | bits_e4m3(lower));
}
uint16_t emu_ff_to_e5m2x2_rn(float upper, float lower) {
  return (uint16_t)(bits_e5m2(upper) << 8 | bits_e5m2(lower));
}

/// Of two f16, in such a register.
static uint16_t narrow_halves(float pair, uint16_t (*narrow)(float, float)) {
  _Float16 halves[2];
  memcpy(halves, &pair, sizeof pair);
  return narrow(halves[1], halves[0]);
}
uint16_t emu_f16x2_to_e4m3x2_rn(float pair) {
  return narrow_halves(pair, emu_ff_to_e4m3x2_rn);
}
uint16_t emu_f16x2_to_e5m2x2_rn(float pair) {
  return narrow_halves(pair, emu_ff_to_e5m2x2_rn);
}
