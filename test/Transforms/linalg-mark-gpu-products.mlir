// RUN: triton-shared-opt %s --linalg-mark-gpu-products="gpu=90a num-warps=4" | FileCheck %s --check-prefixes=CHECK,HOPPER
// RUN: triton-shared-opt %s --linalg-mark-gpu-products="gpu=80 num-warps=4" | FileCheck %s --check-prefixes=CHECK,AMPERE
// RUN: triton-shared-opt %s --linalg-mark-gpu-products="gpu=90a num-warps=2" | FileCheck %s --check-prefix=TWO

// Each product says which instruction the GPU has for it, and how that adds up.
// Too few warps for a `wgmma` get another one.
// CHECK-LABEL: func.func @halves(
// HOPPER:        linalg.matmul {tts.gpu_product = {block = 16 : i64, fraction = 25 : i64, instruction = "wgmma", left = "f16", part = 0 : i64, result = 23 : i64, right = "f16", sum = "f32"}}
// AMPERE:        linalg.matmul {tts.gpu_product = {block = 8 : i64, fraction = 24 : i64, instruction = "mma", left = "f16",
// TWO-LABEL:   func.func @halves(
// TWO:           instruction = "mma"
func.func @halves(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// 8-bit floats are f16 where no instruction takes them; parts of K are added up
// apart where the kernel wants it.
// CHECK-LABEL: func.func @bytes(
// HOPPER:        block = 32 : i64, fraction = 13 : i64, instruction = "wgmma", left = "e4m3", part = 32 : i64, result = 13 : i64, right = "e5m2"
// AMPERE:        instruction = "mma", left = "f16", part = 0 : i64, result = 23 : i64, right = "f16"
func.func @bytes(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x64xf8E5M2>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul {tts.max_num_imprecise_acc = 32 : i32} ins(%a, %b : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E5M2>)
         outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Operands in f32 are rounded for `mma`, and cut off by `wgmma`.
// CHECK-LABEL: func.func @tf32(
// HOPPER:        left = "tf32-cut"
// AMPERE:        left = "tf32-nearest"
func.func @tf32(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul {tts.input_precision = "tf32"} ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
         outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Without tensor cores, one product is added after the other; a batch is.
// CHECK-LABEL: func.func @batch(
// CHECK:         linalg.batch_matmul {tts.gpu_product = {block = 0 : i64, fraction = 0 : i64, instruction = "fma", left = "f32", part = 0 : i64, result = 0 : i64, right = "f32", sum = "f32"}}
func.func @batch(%a: tensor<2x16x16xf32>, %b: tensor<2x16x16xf32>, %c: tensor<2x16x16xf32>) -> tensor<2x16x16xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x16x16xf32>, tensor<2x16x16xf32>) outs(%c : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  return %0 : tensor<2x16x16xf32>
}

// Integers are exact in any order; the copy that went to the GPU is gone.
// CHECK-LABEL: func.func @integers(
// CHECK:         linalg.matmul ins(%{{.*}} : tensor<64x32xi8>
// CHECK-NOT:   cta.
func.func @integers(%a: tensor<64x32xi8>, %b: tensor<32x64xi8>, %c: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xi8>, tensor<32x64xi8>) outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// A product of few rows is computed transposed in a loop; what is left stays
// so here.
// CHECK-LABEL: func.func @few_rows(
// HOPPER:        instruction = "wgmma", left = "e4m3", {{.*}}right = "e5m2"
func.func @few_rows(%a: tensor<16x64xf8E4M3FN>, %b: tensor<64x64xf8E5M2>, %c: tensor<16x64xf32>, %n: i32) -> tensor<16x64xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = scf.for %i = %zero to %n step %one iter_args(%sum = %c) -> (tensor<16x64xf32>) : i32 {
    %1 = linalg.matmul {tts.max_num_imprecise_acc = 1073741824 : i32} ins(%a, %b : tensor<16x64xf8E4M3FN>, tensor<64x64xf8E5M2>)
           outs(%sum : tensor<16x64xf32>) -> tensor<16x64xf32>
    scf.yield %1 : tensor<16x64xf32>
  }
  return %0 : tensor<16x64xf32>
}
