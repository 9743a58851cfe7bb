// What the instructions of PTX mean, for the C that triton_shared.emulate.ptx
// writes: registers are unsigned numbers of 8 (predicates), 16, 32 and 64 bits.

#ifndef TRITON_SHARED_EMULATE_PTX_H
#define TRITON_SHARED_EMULATE_PTX_H

#include "floats.h"
#include "shim.h"

// The smaller and the larger one; of zeros, the negative one is smaller.
PTX double min_number(double a, double b) {
  return a == b ? (signbit(a) ? a : b) : a < b || b != b ? a : b;
}
PTX double max_number(double a, double b) {
  return a == b ? (signbit(a) ? b : a) : a > b || b != b ? a : b;
}
PTX double min_nan(double a, double b) {
  return a != a || b != b ? NAN : min_number(a, b);
}
PTX double max_nan(double a, double b) {
  return a != a || b != b ? NAN : max_number(a, b);
}
PTX float saturate(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
PTX float relu(float x) { return x != x ? x : x > 0 ? x : 0; }

// Numbers.

PTX uint32_t mulhi_u32(uint32_t a, uint32_t b) { return (uint64_t)a * b >> 32; }
PTX uint32_t mulhi_s32(int32_t a, int32_t b) { return (int64_t)a * b >> 32; }
PTX uint16_t mulhi_u16(uint16_t a, uint16_t b) { return (uint32_t)a * b >> 16; }
PTX uint16_t mulhi_s16(int16_t a, int16_t b) { return (int32_t)a * b >> 16; }
PTX uint64_t mulhi_u64(uint64_t a, uint64_t b) {
  return (unsigned __int128)a * b >> 64;
}
PTX uint64_t mulhi_s64(int64_t a, int64_t b) { return (__int128)a * b >> 64; }

// Division by zero gives all bits on a GPU, and does not trap.
#define DEFINE_DIVISION(WORD, NAME)                                            \
  PTX WORD div_##NAME(WORD a, WORD b) {                                        \
    return !b                                     ? (WORD) ~(WORD)0            \
           : (WORD)(b + 1) == 0 && (WORD) - 1 < 0 ? (WORD)(0 - (uint64_t)a)    \
                                                  : a / b;                     \
  }                                                                            \
  PTX WORD rem_##NAME(WORD a, WORD b) {                                        \
    return !b ? a : (WORD)(b + 1) == 0 && (WORD) - 1 < 0 ? 0 : a % b;          \
  }
DEFINE_DIVISION(uint16_t, u16)
DEFINE_DIVISION(uint32_t, u32)
DEFINE_DIVISION(uint64_t, u64)
DEFINE_DIVISION(int16_t, s16)
DEFINE_DIVISION(int32_t, s32)
DEFINE_DIVISION(int64_t, s64)

PTX uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t by) {
  return (((uint64_t)high << 32 | low) << by) >> 32;
}
PTX uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t by) {
  return ((uint64_t)high << 32 | low) >> by;
}

PTX uint64_t extract_bits(uint64_t value, uint32_t at, uint32_t count,
                          int width, int isSigned) {
  at &= 0xFF, count &= 0xFF;
  if (!count)
    return 0;
  uint64_t top = value >> (width - 1) & 1;
  uint64_t shifted = at < (uint32_t)width ? value >> at : 0;
  uint32_t have = at < (uint32_t)width ? width - at : 0;
  uint64_t kept = count < 64 ? shifted & (((uint64_t)1 << count) - 1) : shifted;
  if (!isSigned)
    return kept;
  // The last bit that is there goes on.
  uint32_t last = at + count - 1 < (uint32_t)width ? at + count - 1 : width - 1;
  uint64_t sign = have ? value >> last & 1 : top;
  uint32_t real = count < have ? count : have;
  return sign && real < 64 ? kept | ~(uint64_t)0 << real : kept;
}
PTX uint64_t insert_bits(uint64_t from, uint64_t into, uint32_t at,
                         uint32_t count, int width) {
  at &= 0xFF, count &= 0xFF;
  if (at >= (uint32_t)width || !count)
    return into;
  uint64_t mask = (count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0)
                  << at;
  return (into & ~mask) | (from << at & mask);
}
PTX uint32_t lookup3(uint32_t a, uint32_t b, uint32_t c, int table) {
  uint32_t result = 0;
  for (int i = 0; i < 8; ++i)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}
PTX uint32_t find_first(uint64_t value, int width, int isSigned) {
  if (isSigned && value >> (width - 1) & 1)
    value = ~value & (width < 64 ? ((uint64_t)1 << width) - 1 : ~(uint64_t)0);
  return value ? 63 - __builtin_clzll(value) : 0xFFFFFFFFu;
}
PTX uint64_t reverse_bits(uint64_t value, int width) {
  uint64_t result = 0;
  for (int i = 0; i < width; ++i)
    result |= (value >> i & 1) << (width - 1 - i);
  return result;
}

// Conversions from floats to numbers: what is too large becomes the largest.
PTX double round_whole(double x, char mode) {
  return mode == 'z'   ? trunc(x)
         : mode == 'm' ? floor(x)
         : mode == 'p' ? ceil(x)
                       : rint(x);
}
#define DEFINE_TO_INTEGER(WORD, NAME, LEAST, MOST, BEYOND)                     \
  PTX WORD to_##NAME(double x, char mode, int isWide) {                        \
    if (x != x)                                                                \
      return isWide || sizeof(WORD) == 8                                       \
                 ? (WORD)((uint64_t)1 << (8 * sizeof(WORD) - 1))               \
                 : 0;                                                          \
    x = round_whole(x, mode);                                                  \
    return x <= (double)LEAST ? LEAST : x >= BEYOND ? MOST : (WORD)x;          \
  }
DEFINE_TO_INTEGER(int8_t, s8, INT8_MIN, INT8_MAX, 0x1p7)
DEFINE_TO_INTEGER(int16_t, s16, INT16_MIN, INT16_MAX, 0x1p15)
DEFINE_TO_INTEGER(int32_t, s32, INT32_MIN, INT32_MAX, 0x1p31)
DEFINE_TO_INTEGER(int64_t, s64, INT64_MIN, INT64_MAX, 0x1p63)
DEFINE_TO_INTEGER(uint8_t, u8, 0, UINT8_MAX, 0x1p8)
DEFINE_TO_INTEGER(uint16_t, u16, 0, UINT16_MAX, 0x1p16)
DEFINE_TO_INTEGER(uint32_t, u32, 0, UINT32_MAX, 0x1p32)
DEFINE_TO_INTEGER(uint64_t, u64, 0, UINT64_MAX, 0x1p64)

// What the machine does: shim.c and its neighbours.

void emu_barrier_cta_sync_aligned_all(uint32_t id);
void emu_barrier_cta_sync_aligned_count(uint32_t id, uint32_t count);
void emu_bar_arrive(uint32_t id, uint32_t count);
void emu_bar_warp_sync(uint32_t mask);
uint32_t emu_shfl_sync_bfly_i32(uint32_t, uint32_t, uint32_t, uint32_t);
uint32_t emu_shfl_sync_idx_i32(uint32_t, uint32_t, uint32_t, uint32_t);
uint32_t emu_shfl_sync_up_i32(uint32_t, uint32_t, uint32_t, uint32_t);
uint32_t emu_shfl_sync_down_i32(uint32_t, uint32_t, uint32_t, uint32_t);
uint64_t emu_machine(uint32_t number);
uint32_t emu_elect(uint32_t mask);
uint32_t emu_prmt(uint32_t low, uint32_t high, uint32_t selector);
uint32_t emu_f2tf32_rna(float x);
uint32_t emu_read_ptx_sreg_tid_x(void);
uint32_t emu_read_ptx_sreg_tid_y(void);
uint32_t emu_read_ptx_sreg_ntid_x(void);
uint32_t emu_read_ptx_sreg_ctaid_x(void);
uint32_t emu_read_ptx_sreg_ctaid_y(void);
uint32_t emu_read_ptx_sreg_ctaid_z(void);
uint32_t emu_read_ptx_sreg_nctaid_x(void);
uint32_t emu_read_ptx_sreg_nctaid_y(void);
uint32_t emu_read_ptx_sreg_nctaid_z(void);
void emu_copy(int isWanted, uint32_t target, uint64_t source, int size,
              int valid);
void emu_cp_async_commit_group(void);
void emu_cp_async_wait_group(uint32_t pending);
void emu_fence_proxy_async(void);
void emu_fence_proxy_async_shared_cta(void);
void emu_fence_mbarrier_init_release_cluster(void);
void emu_mma(int type, int m, int k, const char *left, const char *right,
             void *sums);
void emu_ldmatrix(const char *row, int count, int isTransposed,
                  uint32_t *words);
void emu_stmatrix(const char *row, int count, int isTransposed,
                  const uint32_t *words);
void emu_wgmma(int columns, int depth, const char *types, const int *flags,
               uint64_t leftPlace, uint64_t rightPlace,
               const char *leftRegisters, void *sums);
void emu_wgmma_fence_sync_aligned(void);
void emu_wgmma_commit_group_sync_aligned(void);
void emu_wgmma_wait_group_sync_aligned(uint64_t pending);
void emu_mbarrier_init_shared(void *place, uint32_t count);
void emu_mbarrier_inval_shared(void *place);
uint64_t emu_mbarrier_arrive_shared(void *place);
uint64_t emu_mbarrier_arrive_expect_tx_scope_cta_space_cta(void *place,
                                                           uint32_t bytes);
void emu_mbarrier_expect_tx_scope_cta_space_cta(void *place, uint32_t bytes);
int emu_mbarrier_try_wait_parity_scope_cta_space_cta(void *place,
                                                     uint32_t parity);
void emu_cp_async_bulk_commit_group(void);
void emu_cp_async_bulk_wait_group(uint32_t pending);
void emu_cp_async_bulk_tensor_g2s_cta_tile_1d(void *, void *, const void *,
                                              uint32_t, uint64_t, int);
void emu_cp_async_bulk_tensor_s2g_tile_1d(const void *, const void *, uint32_t,
                                          uint64_t, int);
void emu_cp_async_bulk_tensor_g2s_cta_tile_2d(void *, void *, const void *,
                                              uint32_t, uint32_t, uint64_t,
                                              int);
void emu_cp_async_bulk_tensor_s2g_tile_2d(const void *, const void *, uint32_t,
                                          uint32_t, uint64_t, int);
void emu_cp_async_bulk_tensor_g2s_cta_tile_3d(void *, void *, const void *,
                                              uint32_t, uint32_t, uint32_t,
                                              uint64_t, int);
void emu_cp_async_bulk_tensor_s2g_tile_3d(const void *, const void *, uint32_t,
                                          uint32_t, uint32_t, uint64_t, int);
void emu_cp_async_bulk_tensor_g2s_cta_tile_4d(void *, void *, const void *,
                                              uint32_t, uint32_t, uint32_t,
                                              uint32_t, uint64_t, int);
void emu_cp_async_bulk_tensor_s2g_tile_4d(const void *, const void *, uint32_t,
                                          uint32_t, uint32_t, uint32_t,
                                          uint64_t, int);
void emu_cp_async_bulk_tensor_g2s_cta_tile_5d(void *, void *, const void *,
                                              uint32_t, uint32_t, uint32_t,
                                              uint32_t, uint32_t, uint64_t,
                                              int);
void emu_cp_async_bulk_tensor_s2g_tile_5d(const void *, const void *, uint32_t,
                                          uint32_t, uint32_t, uint32_t,
                                          uint32_t, uint64_t, int);
uint32_t emu_vote(uint32_t mask, int isTrue);
uint32_t emu_redux(uint32_t mask, uint32_t value, int operation);
uint32_t emu_match_any(uint32_t mask, uint64_t value);

// Addresses of shared memory are numbers that count from its begin, as of 32
// bits; generic ones are those of this machine. Local memory, parameters and
// constants are watched by nobody.

enum { kOwn = 0, kGlobal = 1, kShared = 3, kSharedGeneric = 13 };
extern const Region emu_constants;

PTX char *place_shared(uint64_t address) { return cta_shared + address; }
PTX int find_space(uint64_t address) {
  if (address - (uint64_t)cta_shared < kMaxShared)
    return kSharedGeneric;
  if (address - (uint64_t)fibers[current].stack < kStack)
    return kOwn;
  return kGlobal;
}
PTX char *begin_access(uint64_t address, int size, int space,
                       const void *written) {
  char *at = space == kShared ? place_shared(address) : (char *)address;
  int isConstant = space == kGlobal && !written &&
                   address >= emu_constants.begin &&
                   address + size <= emu_constants.end;
  if (space != kOwn && !isConstant)
    emu_access(at, size, size, space % 10, written);
  return at;
}
PTX void load(uint64_t address, int size, int space, void *to) {
  memcpy(to, begin_access(address, size, space, 0), size);
}
PTX void store(uint64_t address, int size, int space, const void *from) {
  memcpy(begin_access(address, size, space, from), from, size);
}
PTX char *begin_update(uint64_t address, int size, int space) {
  if (space != kShared && space != kSharedGeneric)
    return begin_access(address, size, space, (void *)address);
  char *at = space == kShared ? place_shared(address) : (char *)address;
  update_shared(at - cta_shared, size);
  return at;
}
// Words that are read for an atomic update of a part of them.
PTX int begin_word(uint64_t address, int space, char word[4]) {
  return space == kGlobal ? emu_begin_word(address, word) : 0;
}
PTX void load_word(uint64_t address, int space, void *to) {
  if (!begin_word(address, space, to))
    load(address, 4, space, to);
}
PTX void __attribute__((noreturn)) stop(const char *why) {
  fail("%s", why);
  __builtin_trap();
}

#endif
