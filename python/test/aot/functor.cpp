// The C++ headers: a linked kernel, and a variant by itself.
#include "add.hpp"
#include "device.h"
#include VARIANT_HPP

#include <cstdio>
#include <vector>

int main() {
  device_open();
  const int32_t n = 500;
  std::vector<float> x(n, 1.5f), y(n, 2.0f), out(2 * n);
  CUdeviceptr dx = device_copy(x.data(), n * sizeof(float));
  CUdeviceptr dy = device_copy(y.data(), n * sizeof(float));
  CUdeviceptr first = device_copy(out.data(), n * sizeof(float));
  CUdeviceptr second = device_copy(out.data(), n * sizeof(float));
  triton_shared_aot::AddKernel add;
  add(nullptr, dx, dy, first, n);
  triton_shared_aot::VARIANT variant;
  variant(nullptr, dx, dy, second, n);
  bool refuses = false;
  try {
    add(nullptr, dx, dy, first, -1000);
  } catch (const triton_shared_aot::KernelError &error) {
    refuses = error.code == CUDA_ERROR_INVALID_VALUE;
  }
  device_take(x.data(), dx, n * sizeof(float));
  device_take(y.data(), dy, n * sizeof(float));
  device_take(out.data(), first, n * sizeof(float));
  device_take(out.data() + n, second, n * sizeof(float));
  for (float value : out)
    refuses &= value == 3.5f;
  std::printf("%s\n", refuses ? "right" : "wrong");
  return !refuses;
}
