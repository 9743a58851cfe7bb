// Sums as the tensor cores of a GPU make them, by the function that kernels for
// a CPU call with `dot="gpu-exact:..."`. Without cores, sums are plain ones.

#include "kernel.h"
#include "shim.h"

#include <stdlib.h>
#include <string.h>

enum { kMaxCores = 64 };

// `instruction` is w (wgmma) or m; operands and sums have the letters of
// `decode`, 8-bit floats '8', tf32 't'.
typedef struct {
  int32_t instruction, operand, sum;
  int32_t block, fraction, result;
} Core;
static Core cores[kMaxCores];
static int numCores;

void emu_use_cores(const Core *given, int count) {
  memcpy(cores, given, count * sizeof(Core));
  numCores = count;
}

static int32_t kind_of(char type) {
  switch (type) {
  case 'h':
    return TRITON_SHARED_F16;
  case 'b':
    return TRITON_SHARED_BF16;
  case '4':
    return TRITON_SHARED_E4M3;
  case '5':
    return TRITON_SHARED_E5M2;
  default:
    return TRITON_SHARED_TF32_CUT;
  }
}

static char family_of(char type) {
  return type == '4' || type == '5' ? '8' : strchr("hb", type) ? type : 't';
}

int add_exactly(char instruction, const char *types, const float *left,
                const float *right, int depth, float *sum) {
  for (int i = 0; i < numCores; ++i) {
    Core core = cores[i];
    if (core.instruction != instruction || core.sum != types[0] ||
        core.operand != family_of(types[1]))
      continue;
    struct TritonSharedTensorCore how = {kind_of(types[1]),
                                         kind_of(types[2]),
                                         types[0] == 'h' ? TRITON_SHARED_F16
                                                         : TRITON_SHARED_F32,
                                         core.block,
                                         core.fraction,
                                         core.result,
                                         0};
    // Registers and shared memory have been decoded.
    struct TritonSharedMatrix a = {(void *)left, depth, 1, TRITON_SHARED_F32};
    struct TritonSharedMatrix b = {(void *)right, 1, 1, TRITON_SHARED_F32};
    struct TritonSharedMatrix c = {sum, 1, 1, TRITON_SHARED_F32};
    if (!tritonSharedTensorCoreMultiply(&how, &a, &b, &c, 1, 1, depth))
      abort();
    return 1;
  }
  return 0;
}
