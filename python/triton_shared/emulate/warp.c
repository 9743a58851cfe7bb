// What the lanes of a warp tell each other besides shuffles: votes, reductions
// of numbers, who has the same.

#include "shim.h"

enum { kAdd, kMin, kMax, kAnd, kOr, kXor, kMinUnsigned, kMaxUnsigned };

/// The values of all lanes. They stay until this thread meets the others again.
static void gather(uint32_t mask, uint32_t value, uint32_t *values) {
  exchange(mask, value, 0);
  int warp = current / kWarp * kWarp;
  unsigned turn = fibers[current].shuffles - 1;
  for (int lane = 0; lane < kWarp; ++lane)
    values[lane] = fibers[warp + lane].slots[turn % 2];
}

uint32_t emu_vote(uint32_t mask, int isTrue) {
  uint32_t values[kWarp], votes = 0;
  gather(mask, isTrue, values);
  for (int lane = 0; lane < kWarp; ++lane)
    votes |= values[lane] << lane;
  return votes;
}

static uint32_t combine(uint32_t a, uint32_t b, int operation) {
  switch (operation) {
  case kAdd:
    return a + b;
  case kMin:
    return (int32_t)a < (int32_t)b ? a : b;
  case kMax:
    return (int32_t)a > (int32_t)b ? a : b;
  case kAnd:
    return a & b;
  case kOr:
    return a | b;
  case kXor:
    return a ^ b;
  case kMinUnsigned:
    return a < b ? a : b;
  default:
    return a > b ? a : b;
  }
}

uint32_t emu_redux(uint32_t mask, uint32_t value, int operation) {
  uint32_t values[kWarp];
  gather(mask, value, values);
  uint32_t result = values[0];
  for (int lane = 1; lane < kWarp; ++lane)
    result = combine(result, values[lane], operation);
  return result;
}

uint32_t emu_match_any(uint32_t mask, uint64_t value) {
  uint32_t low[kWarp], high[kWarp], same = 0;
  gather(mask, value, low);
  gather(mask, value >> 32, high);
  for (int lane = 0; lane < kWarp; ++lane)
    if (low[lane] == (uint32_t)value && high[lane] == value >> 32)
      same |= 1u << lane;
  return same;
}
