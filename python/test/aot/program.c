/* One program for every target: two linked kernels and one that is called by
   itself. Prints what is wrong; the exit code says how much was. */
#include "add.h"
#include "device.h"
#include "matmul.h"
#include "scalars.h"

#include <stdio.h>

static int failures;

static void expect(int holds, const char *what) {
  if (!holds)
    printf("wrong: %s\n", what);
  failures += !holds;
}

static void test_add(int32_t n, int algo_id) {
  enum { most = 1000 };
  static float x[most], y[most], sum[most];
  CUdeviceptr dx, dy, dsum;
  int right = 1;
  int32_t i;
  for (i = 0; i < most; ++i) {
    x[i] = (float)i;
    y[i] = 0.5f;
    sum[i] = -1;
  }
  dx = device_copy(x, sizeof x);
  dy = device_copy(y, sizeof y);
  dsum = device_copy(sum, sizeof sum);
  expect(add_kernel(NULL, dx, dy, dsum, n, algo_id) == CUDA_SUCCESS,
         "result of add_kernel");
  device_take(x, dx, sizeof x);
  device_take(y, dy, sizeof y);
  device_take(sum, dsum, sizeof sum);
  for (i = 0; i < most; ++i)
    right &= sum[i] == (i < n ? (float)i + 0.5f : -1);
  expect(right, "values of add_kernel");
}

static void test_scalars(void) {
  /* -2.5 in f16 and in bf16. */
  const uint16_t half = 0xc100, brain = 0xc020;
  const double expected[8] = {
      0.125, -2.5, -2.5, 1e300, -7, 200, 4294967295.0, -4611686018427387904.0};
  double out[8] = {0};
  CUdeviceptr memory = device_copy(out, sizeof out);
  int i;
  expect(SCALARS(NULL, memory, 0.125f, half, brain, 1e300, -7, 200, 4294967295u,
                 -4611686018427387904) == CUDA_SUCCESS,
         "result of scalars");
  device_take(out, memory, sizeof out);
  for (i = 0; i < 8; ++i)
    if (out[i] != expected[i])
      printf("scalar %d is %g\n", i, out[i]);
  for (i = 0; i < 8; ++i)
    expect(out[i] == expected[i], "value of a scalar");
}

/* A product of small integers, which is exact in f16. */
static void test_matmul(int32_t m, int32_t n, int32_t k, int algo_id) {
  enum { most = 64 * 64 };
  static uint16_t a[most], b[most];
  static float c[most];
  static const uint16_t halves[3] = {0x0000, 0x3c00, 0x4000};
  CUdeviceptr da, db, dc;
  int32_t i, j, l;
  int right = 1;
  for (i = 0; i < most; ++i) {
    a[i] = halves[i % 3];
    b[i] = halves[(i / 2) % 3];
    c[i] = -1;
  }
  da = device_copy(a, sizeof a);
  db = device_copy(b, sizeof b);
  dc = device_copy(c, sizeof c);
  expect(matmul(NULL, dc, da, db, m, n, k, n, 1, k, 1, n, 1, algo_id) ==
             CUDA_SUCCESS,
         "result of matmul");
  device_take(a, da, sizeof a);
  device_take(b, db, sizeof b);
  device_take(c, dc, sizeof c);
  for (i = 0; i < m; ++i)
    for (j = 0; j < n; ++j) {
      int sum = 0;
      for (l = 0; l < k; ++l)
        sum += (i * k + l) % 3 * ((l * n + j) / 2 % 3);
      right &= c[i * n + j] == (float)sum;
    }
  expect(right, "values of matmul");
  /* The second stride of `c` must be 1. */
  expect(matmul(NULL, 0, 0, 0, 1, 1, 1, 1, 2, 1, 1, 1, 1, algo_id) ==
             CUDA_ERROR_INVALID_VALUE,
         "a call that fits no variant");
}

int main(void) {
  int algo_id;
  device_open();
  expect(load_add_kernel() == CUDA_SUCCESS && load_matmul() == CUDA_SUCCESS,
         "loading");
  for (algo_id = 0; algo_id < add_kernel_get_num_algos(); ++algo_id) {
    test_add(1000, algo_id);
    test_add(992, algo_id); /* a multiple of 16 */
    test_add(1, algo_id);
    test_add(0, algo_id); /* an empty grid */
  }
  expect(add_kernel_default(NULL, 0, 0, 0, -1000) == CUDA_ERROR_INVALID_VALUE,
         "a negative grid");
  expect(add_kernel(NULL, 0, 0, 0, 0, -1) == CUDA_ERROR_INVALID_VALUE,
         "algorithm -1");
  expect(add_kernel(NULL, 0, 0, 0, 0, add_kernel_get_num_algos()) ==
             CUDA_ERROR_INVALID_VALUE,
         "an algorithm too many");
  test_scalars();
  expect(matmul_get_num_algos() == 2, "number of algorithms of matmul");
  for (algo_id = 0; algo_id < matmul_get_num_algos(); ++algo_id) {
    test_matmul(16, 16, 16, algo_id);
    test_matmul(48, 32, 64, algo_id);
    test_matmul(33, 17, 29, algo_id);
  }
  expect(unload_matmul() == CUDA_SUCCESS && unload_add_kernel() == CUDA_SUCCESS,
         "unloading");
  test_add(16, 0); /* loads again */
  printf("%d wrong\n", failures);
  return failures;
}
