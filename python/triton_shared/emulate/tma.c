// Copies of boxes of tensors between global and shared memory by TMA. They do
// their work at once; who does not wait for them is found by what it knows.

#include "shim.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxRank = 5, kMagic = 0x544D4150 };

// What the host puts into the 128 bytes of a tensor map; the first dimension
// is that of neighbours.
typedef struct {
  uint32_t magic;
  uint8_t rank, type, swizzle, fill; // fill: zero, or 1 for NaN
  uint64_t address;
  uint32_t sizes[kMaxRank], box[kMaxRank]; // elements
  uint64_t strides[kMaxRank];              // bytes
} TensorMap;

// Of a thread.
typedef struct {
  int slot; // or 0
  uint32_t begun, finished;
  uint32_t *commits; // after each group
  int groups, room;
} Stores;
static Stores stores[kMaxThreads];
static int numStorers;

// By its letter: sizes of elements in bytes.
static int size_of(char type) {
  return type == 'B'           ? 1
         : strchr("Hhb", type) ? 2
         : strchr("Iif", type) ? 4
                               : 8;
}

typedef struct {
  const TensorMap *map;
  int size, rows, rowBytes; // of the box
  uint32_t offset;          // in shared memory
  int coordinates[kMaxRank];
} Box;

static Box open_box(const TensorMap *map, int rank, const int *coordinates,
                    const char *shared) {
  if (map->magic != kMagic)
    fail("copies by what is no tensor map");
  if (map->rank != rank)
    fail("copies %d dimensions of a tensor map that has %d", rank, map->rank);
  Box box = {map, size_of(map->type), 1, 0, (uint64_t)shared & 0x3FFFF, {0}};
  box.rowBytes = map->box[0] * box.size;
  for (int i = 0; i < rank; ++i) {
    box.coordinates[i] = coordinates[i];
    box.rows *= i ? map->box[i] : 1;
  }
  if (coordinates[0] * box.size % 16)
    fail(
        "copies a box that begins at byte %d of its rows, which is no multiple of 16",
        coordinates[0] * box.size);
  if (box.offset % 128)
    fail(
        "copies a box at offset %u of shared memory, which is no multiple of 128",
        box.offset);
  return box;
}

// The first element of a row of the box in global memory, and which of the row
// are part of the tensor: returns 0 if none.
static uint64_t find_row(const Box *box, int row, int *begin, int *end) {
  const TensorMap *map = box->map;
  int64_t address = map->address + (int64_t)box->coordinates[0] * box->size;
  for (int i = 1; i < map->rank; ++i) {
    int64_t at = box->coordinates[i] + row % (int)map->box[i];
    row /= map->box[i];
    if (at < 0 || at >= map->sizes[i])
      return 0;
    address += at * (int64_t)map->strides[i];
  }
  int64_t first = box->coordinates[0], last = first + map->box[0];
  *begin = first < 0 ? -first : 0;
  *end = (last > map->sizes[0] ? map->sizes[0] : last) - first;
  return *begin < *end ? address : 0;
}

// Where 16 bytes of the box lie.
static uint32_t place(const Box *box, int row, int piece) {
  static const int widths[] = {1, 2, 4, 8};
  uint32_t offset = box->offset + row * box->rowBytes + piece * 16;
  return offset ^ (offset >> 7 & (widths[box->map->swizzle] - 1)) << 4;
}

static void fill(const Box *box, char *row) {
  for (int i = 0; i < box->rowBytes; ++i) {
    int isLast = i % box->size == box->size - 1;
    row[i] = !box->map->fill ? 0 : isLast ? 0x7F : 0xFF;
  }
}

static void load(const char *shared, void *mbarrier, const TensorMap *map,
                 int rank, const int *coordinates) {
  Box box = open_box(map, rank, coordinates, shared);
  uint32_t number;
  int slot = begin_transfer((uint64_t)mbarrier, &number), begin, end;
  char *bytes = malloc(box.rowBytes);
  for (int row = 0; row < box.rows; ++row) {
    fill(&box, bytes);
    uint64_t address = find_row(&box, row, &begin, &end);
    if (address) {
      begin *= box.size, end *= box.size;
      check_global(address + begin, end - begin, 0);
      memcpy(bytes + begin, (const char *)address + begin, end - begin);
    }
    for (int i = 0; i < box.rowBytes; ++i) {
      uint32_t offset = place(&box, row, i / 16) + i % 16;
      write_async(offset, slot, number);
      cta_shared[offset] = bytes[i];
    }
  }
  free(bytes);
  finish_transfer(slot, (int64_t)box.rows * box.rowBytes);
}

// Reductions

static double reduce_floats(const char *kind, double a, double b) {
  switch (kind[1]) {
  case 'd': // add
    return a + b;
  case 'i': // min
    return fmin(a, b);
  case 'a': // max
    return fmax(a, b);
  default:
    fail("reduces numbers with fractions by %s", kind);
  }
}

static uint64_t reduce_integers(const char *kind, uint64_t a, uint64_t b,
                                int isLess) {
  switch (kind[1]) {
  case 'd': // add
    return a + b;
  case 'i': // min
    return isLess ? a : b;
  case 'a': // max
    return isLess ? b : a;
  case 'n':
    return kind[0] == 'a' ? a & b : a >= b ? 0 : a + 1; // and, inc
  case 'e':                                             // dec
    return !a || a > b ? b : a - 1;
  case 'r': // or
    return a | b;
  default: // xor
    return a ^ b;
  }
}

static double read_number(char type, const char *from) {
  double number;
  uint32_t word = 0;
  if (type == 'd') {
    memcpy(&number, from, 8);
    return number;
  }
  memcpy(&word, from, size_of(type));
  return decode(type, &word, 0);
}

static void write_number(char type, double number, char *to) {
  float single = number;
  _Float16 half = single;
  if (type == 'd')
    memcpy(to, &number, 8);
  else if (type == 'f')
    memcpy(to, &single, 4);
  else if (type == 'h')
    memcpy(to, &half, 2);
  else {
    uint16_t brain = round_to_bf16(single);
    memcpy(to, &brain, 2);
  }
}

static void reduce(const char *kind, char type, const char *value, char *to) {
  uint64_t a = 0, b = 0;
  int size = size_of(type);
  if (strchr("fdhb", type)) {
    write_number(
        type,
        reduce_floats(kind, read_number(type, to), read_number(type, value)),
        to);
    return;
  }
  memcpy(&a, to, size);
  memcpy(&b, value, size);
  int isLess = type == 'i'   ? (int32_t)a < (int32_t)b
               : type == 'l' ? (int64_t)a < (int64_t)b
                             : a < b;
  a = reduce_integers(kind, a, b, isLess);
  memcpy(to, &a, size);
}

// `kind` is null where the box replaces what is there.
static void store(const char *kind, const char *shared, const TensorMap *map,
                  int rank, const int *coordinates) {
  Box box = open_box(map, rank, coordinates, shared);
  Stores *own = &stores[current];
  if (!own->slot && numStorers == kMaxStorers)
    fail("stores by TMA, as %d other threads do", numStorers);
  if (!own->slot)
    own->slot = kFirstStorer + numStorers++;
  ++own->begun;
  int begin, end;
  for (int row = 0; row < box.rows; ++row) {
    uint64_t address = find_row(&box, row, &begin, &end);
    if (!address)
      continue;
    check_global(address + begin * box.size, (end - begin) * box.size, 1);
    for (int i = begin * box.size / 16; i * 16 < end * box.size; ++i)
      read_async(place(&box, row, i), "a store of TMA reads", own->slot,
                 own->begun);
    for (int i = begin; i < end; ++i) {
      char *to = (char *)address + i * box.size;
      const char *from =
          cta_shared + place(&box, row, i * box.size / 16) + i * box.size % 16;
      if (kind)
        reduce(kind, map->type, from, to);
      else
        memcpy(to, from, box.size);
    }
  }
}

void emu_cp_async_bulk_commit_group(void) {
  Stores *own = &stores[current];
  if (own->groups == own->room) {
    own->room = 2 * own->room + 16;
    own->commits = realloc(own->commits, own->room * sizeof(uint32_t));
  }
  own->commits[own->groups++] = own->begun;
}

void emu_cp_async_bulk_wait_group(uint32_t pending) {
  Stores *own = &stores[current];
  if ((uint32_t)own->groups <= pending)
    return;
  own->finished = own->commits[own->groups - 1 - pending];
  if (own->slot)
    clocks[current].times[own->slot] = own->finished;
}
void emu_cp_async_bulk_wait_group_read(uint32_t pending) {
  emu_cp_async_bulk_wait_group(pending);
}

// What a kernel writes into a map of its own. Numbers of dimensions count from
// that of neighbours, numbers of strides from the next one.

void emu_tensormap_replace_global_address_p1(TensorMap *map, uint64_t address) {
  if (address % 16)
    fail("makes a tensor map of the address %#lx", (long)address);
  map->magic = kMagic;
  map->address = address;
}
void emu_tensormap_replace_rank_p1(TensorMap *map, uint32_t less) {
  map->rank = less + 1;
}
void emu_tensormap_replace_global_dim_p1(TensorMap *map, uint32_t dimension,
                                         uint32_t size) {
  map->sizes[dimension] = size;
}
void emu_tensormap_replace_box_dim_p1(TensorMap *map, uint32_t dimension,
                                      uint32_t size) {
  if (size < 1 || size > 256)
    fail("makes a tensor map of boxes of %u", size);
  map->box[dimension] = size;
}
void emu_tensormap_replace_element_stride_p1(TensorMap *map, uint32_t dimension,
                                             uint32_t stride) {
  (void)map, (void)dimension;
  if (stride != 1)
    fail("makes a tensor map of every %u-th element", stride);
}
void emu_tensormap_replace_global_stride_p1(TensorMap *map, uint32_t number,
                                            uint64_t stride) {
  if (stride % 16 || stride >> 40)
    fail("makes a tensor map of strides of %#lx bytes", (long)stride);
  map->strides[number + 1] = stride;
}
void emu_tensormap_replace_elemtype_p1(TensorMap *map, uint32_t code) {
  // As in PTX: f32 and tf32 that flush to zero are 8 and 12.
  map->type = code < 13 ? "BHIiLlhffdbff"[code] : 0;
  if (!map->type)
    fail("makes a tensor map of elements of kind %u", code);
}
void emu_tensormap_replace_interleave_layout_p1(TensorMap *map, uint32_t mode) {
  (void)map;
  if (mode)
    fail("makes a tensor map that interleaves");
}
void emu_tensormap_replace_swizzle_mode_p1(TensorMap *map, uint32_t mode) {
  map->swizzle = mode;
}
void emu_tensormap_replace_fill_mode_p1(TensorMap *map, uint32_t mode) {
  map->fill = mode;
}
void emu_fence_proxy_tensormap_generic_release_gpu(void) {}
void emu_fence_proxy_tensormap_generic_acquire_gpu(const TensorMap *map,
                                                   uint32_t bytes) {
  (void)map, (void)bytes;
}

void emu_trap(void) { fail("ends by trap"); }

void emu_prefetch_tensormap_p0(const TensorMap *map) {
  if (map->magic != kMagic)
    fail("prefetches what is no tensor map");
}

void begin_tma(void) {
  numStorers = 0;
  for (int i = 0; i < numThreads; ++i)
    stores[i].slot = stores[i].begun = stores[i].finished = stores[i].groups =
        0;
}

void end_tma(void) {
  const Stores *own = &stores[current];
  if (own->finished < own->begun)
    fail("ends while %u stores of TMA are under way",
         own->begun - own->finished);
}

// The intrinsics, by the number of dimensions.

#define LIST(...) __VA_ARGS__
#define DEFINE_STORE(NAME, KIND, RANK, PARAMETERS, ARGUMENTS)                  \
  void emu_cp_async_bulk_tensor_##NAME##_tile_##RANK##d(                       \
      const char *shared, const TensorMap *map, LIST PARAMETERS,               \
      uint64_t hint, int isHinted) {                                           \
    (void)hint, (void)isHinted;                                                \
    store(KIND, shared, map, RANK, (int[]){LIST ARGUMENTS});                   \
  }
#define DEFINE(RANK, PARAMETERS, ARGUMENTS)                                    \
  void emu_cp_async_bulk_tensor_g2s_cta_tile_##RANK##d(                        \
      const char *shared, void *mbarrier, const TensorMap *map,                \
      LIST PARAMETERS, uint64_t hint, int isHinted) {                          \
    (void)hint, (void)isHinted;                                                \
    load(shared, mbarrier, map, RANK, (int[]){LIST ARGUMENTS});                \
  }                                                                            \
  void emu_cp_async_bulk_tensor_g2s_tile_##RANK##d(                            \
      const char *shared, void *mbarrier, const TensorMap *map,                \
      LIST PARAMETERS, int16_t mask, uint64_t hint, int isMulticast,           \
      int isHinted, int group) {                                               \
    (void)mask, (void)hint, (void)isHinted;                                    \
    if ((isMulticast & 1) || group)                                            \
      fail("copies to other CTAs");                                            \
    load(shared, mbarrier, map, RANK, (int[]){LIST ARGUMENTS});                \
  }                                                                            \
  DEFINE_STORE(s2g, 0, RANK, PARAMETERS, ARGUMENTS)                            \
  DEFINE_STORE(reduce_add, "add", RANK, PARAMETERS, ARGUMENTS)                 \
  DEFINE_STORE(reduce_min, "min", RANK, PARAMETERS, ARGUMENTS)                 \
  DEFINE_STORE(reduce_max, "max", RANK, PARAMETERS, ARGUMENTS)                 \
  DEFINE_STORE(reduce_inc, "inc", RANK, PARAMETERS, ARGUMENTS)                 \
  DEFINE_STORE(reduce_dec, "dec", RANK, PARAMETERS, ARGUMENTS)                 \
  DEFINE_STORE(reduce_and, "and", RANK, PARAMETERS, ARGUMENTS)                 \
  DEFINE_STORE(reduce_or, "or", RANK, PARAMETERS, ARGUMENTS)                   \
  DEFINE_STORE(reduce_xor, "xor", RANK, PARAMETERS, ARGUMENTS)
DEFINE(1, (int a), (a))
DEFINE(2, (int a, int b), (a, b))
DEFINE(3, (int a, int b, int c), (a, b, c))
DEFINE(4, (int a, int b, int c, int d), (a, b, c, d))
DEFINE(5, (int a, int b, int c, int d, int e), (a, b, c, d, e))
