// RUN: triton-shared-opt %s --cpu-generalize-products | FileCheck %s

// Products are loops, but for those that the runtime computes as a GPU does.
// CHECK-LABEL: func.func @both(
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.matmul {tts.gpu_product = {block = 0 : i64}}
func.func @both(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul {tts.gpu_product = {block = 0 : i64}} ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>)
         outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
