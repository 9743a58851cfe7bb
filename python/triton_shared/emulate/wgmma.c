// Matrix products of a warpgroup: `wgmma`, whose operands lie in shared memory
// as descriptors say, and which reads them until somebody waits.

#include "shim.h"
#include <stdlib.h>
#include <string.h>

enum { kRows = 64, kMaxColumns = 256, kMaxDepth = 32 };

// One instruction, as a thread brings it along.
typedef struct {
  int columns, depth; // N and K
  char types[4];      // of result (f, h or i), left and right (see `decode`)
  int keepsSums;      // or begins with zeros
  int leftSign, rightSign;
  int isLeftTransposed, isRightTransposed;
  uint64_t leftPlace, rightPlace; // descriptors
  const char *leftRegisters;      // or null
} Product;

typedef struct {
  unsigned begun;
  float left[kRows][kMaxDepth], right[kMaxColumns][kMaxDepth];
} Warpgroup;
static Warpgroup warpgroups[kMaxThreads / kWarpgroup];

// How far a thread is: counts of instructions.
typedef struct {
  Product product;
  unsigned begun, finished;
  unsigned *commits; // after each group
  int groups, room;
} Progress;
static Progress threads[kMaxThreads];

// Descriptors: see the canonical layouts of the PTX manual.

// The offset of the 16 bytes with row `row` (of M or N) of K-major operands and
// its bytes from `16 * piece`, or with elements `8 * piece` of line `row` (of
// K) of transposed ones.
static uint32_t locate(uint64_t place, int isTransposed, int row, int piece) {
  static const int widths[] = {1, 8, 4, 2};
  int swizzle = place >> 62, width = widths[swizzle];
  uint32_t start = (place & 0x3FFF) << 4, leading = (place >> 16 & 0x3FFF) << 4,
           stride = (place >> 32 & 0x3FFF) << 4;
  uint32_t pattern = (place >> 49 & 7) << 7, address = start;
  address += row % 8 * width * 16;
  if (!swizzle)
    address += isTransposed ? piece * stride + row / 8 * leading
                            : piece * leading + row / 8 * stride;
  else if (isTransposed)
    address += piece % width * 16 + piece / width * leading + row / 8 * stride;
  else
    address += piece * 16 + row / 8 * stride;
  uint32_t line = (address - pattern) >> 7;
  return (address ^ (line & (width - 1)) << 4) & 0x3FFFF;
}

// Rows of M or N, each of `depth` elements of K; each slot reads `rowsOfSlot`.
static void read_operand(int firstSlot, int rowsOfSlot, uint64_t place,
                         int isTransposed, char type, int rows, int depth,
                         float sign, float (*to)[kMaxDepth]) {
  int lines = isTransposed ? depth : rows, pieces = isTransposed ? rows / 8 : 2,
      each = depth / 2, size = 16 / each;
  for (int line = 0; line < lines; ++line)
    for (int j = 0; j < pieces; ++j) {
      uint32_t offset = locate(place, isTransposed, line, j);
      int row = isTransposed ? 8 * j : line;
      read_async(offset, "wgmma reads", firstSlot + row / rowsOfSlot,
                 threads[current].begun);
      const char *piece = cta_shared + offset;
      for (int i = 0; i < each; ++i) {
        const char *word = piece + i * size / 4 * 4;
        float value = sign * decode(type, word, i % (4 / size));
        if (isTransposed)
          to[8 * j + i][line] = value;
        else
          to[line][each * j + i] = value;
      }
    }
}

// Fragments of 16 rows a warp, as those of `mma.sync`.
static void read_registers(int first, char type, int depth, float sign,
                           float (*to)[kMaxDepth]) {
  int per = depth / 8;
  for (int row = 0; row < kRows; ++row)
    for (int k = 0; k < depth; ++k) {
      int thread = first + row / 16 * kWarp + row % 8 * 4 + k / per % 4;
      int word = row / 8 % 2 + 2 * (k / (4 * per));
      to[row][k] =
          sign * decode(type, threads[thread].product.leftRegisters + 4 * word,
                        k % per);
    }
}

// The last thread of the warpgroup that begins the product reads it for all.
static void read_operands(Warpgroup *group, int first) {
  const Product *product = &threads[current].product;
  for (int i = first; i < first + kWarpgroup; ++i) {
    Product other = threads[i].product;
    other.leftRegisters = product->leftRegisters;
    if (memcmp(&other, product, sizeof(other)))
      fail(
          "executes another wgmma than thread %d of its warpgroup, or one of other matrices",
          i);
  }
  int depth = product->depth;
  begin_collective(first, kWarpgroup);
  if (product->leftRegisters)
    read_registers(first, product->types[1], depth, product->leftSign,
                   group->left);
  else
    read_operand(kFirstWarp + first / kWarp, kRows / 4, product->leftPlace,
                 product->isLeftTransposed, product->types[1], kRows, depth,
                 product->leftSign, group->left);
  read_operand(first / kWarpgroup, kMaxColumns, product->rightPlace,
               product->isRightTransposed, product->types[2], product->columns,
               depth, product->rightSign, group->right);
  end_collective();
}

static void add_to(void *sums, int i, char type, int keepsSums, float sum) {
  _Float16 *halves = sums;
  float *floats = sums;
  int32_t *integers = sums;
  if (type == 'h')
    halves[i] = (keepsSums ? (float)halves[i] : 0) + sum;
  else if (type == 'f')
    floats[i] = (keepsSums ? floats[i] : 0) + sum;
  else
    integers[i] = (keepsSums ? integers[i] : 0) + (int32_t)sum;
}

// The same as tensor cores add up, if they are asked for.
static int add_to_exactly(void *sums, int i, const char *types, int keepsSums,
                          const float *left, const float *right, int depth) {
  _Float16 *halves = sums;
  float *floats = sums, sum = 0;
  if (types[0] == 'i')
    return 0;
  if (keepsSums)
    sum = types[0] == 'h' ? (float)halves[i] : floats[i];
  if (!add_exactly('w', types, left, right, depth, &sum))
    return 0;
  if (types[0] == 'h')
    halves[i] = sum;
  else
    floats[i] = sum;
  return 1;
}

// `types` has those of result, left and right, as `Product`; `flags` are scales
// and transpositions; `sums` are this thread's registers of the result.
void emu_wgmma(int columns, int depth, const char *types, const int *flags,
               uint64_t leftPlace, uint64_t rightPlace,
               const char *leftRegisters, void *sums) {
  int first = current / kWarpgroup * kWarpgroup, lane = current % kWarp;
  if (first + kWarpgroup > numThreads)
    fail("executes wgmma, but has no warpgroup: there are %d threads",
         numThreads);
  Warpgroup *group = &warpgroups[current / kWarpgroup];
  Progress *own = &threads[current];
  own->product =
      (Product){columns,    depth,        {types[0], types[1], types[2]},
                flags[0],   flags[1],     flags[2],
                flags[3],   flags[4],     leftPlace,
                rightPlace, leftRegisters};
  unsigned turn = ++own->begun;
  int last = 1;
  for (int i = first; i < first + kWarpgroup; ++i)
    last &= threads[i].begun >= turn;
  if (last) {
    read_operands(group, first);
    group->begun = turn;
    ++progress;
  }
  while (group->begun < turn)
    pause_fiber("wgmma of its warpgroup");
  int row = current % kWarpgroup / kWarp * 16 + lane / 4;
  for (int i = 0; i < columns / 2; ++i) {
    const float *left = group->left[row + i / 2 % 2 * 8];
    const float *right = group->right[i / 4 * 8 + lane % 4 * 2 + i % 2];
    if (add_to_exactly(sums, i, types, flags[0], left, right, depth))
      continue;
    float sum = 0;
    for (int k = 0; k < depth; ++k)
      sum += left[k] * right[k];
    add_to(sums, i, types[0], flags[0], sum);
  }
}

void emu_wgmma_fence_sync_aligned(void) {}

void emu_wgmma_commit_group_sync_aligned(void) {
  Progress *own = &threads[current];
  if (own->groups == own->room) {
    own->room = 2 * own->room + 16;
    own->commits = realloc(own->commits, own->room * sizeof(unsigned));
  }
  own->commits[own->groups++] = own->begun;
}

void emu_wgmma_wait_group_sync_aligned(uint64_t pending) {
  Progress *own = &threads[current];
  if ((uint64_t)own->groups <= pending)
    return;
  own->finished = own->commits[own->groups - 1 - pending];
  wait_for_products(own->finished);
}

void begin_wgmma(void) {
  for (int i = 0; i < numThreads; ++i) {
    Progress *thread = &threads[i];
    thread->begun = thread->finished = thread->groups = 0;
  }
  for (int i = 0; i < kMaxThreads / kWarpgroup; ++i)
    warpgroups[i].begun = 0;
}

void end_wgmma(void) {
  const Progress *own = &threads[current];
  if (own->finished < own->begun)
    fail("ends while %u wgmma are under way", own->begun - own->finished);
}
