// RUN: triton-shared-opt %s --linalg-extend-dot-operands | FileCheck %s

// A product that says what else holds its operands gets what tensor cores take.

// CHECK-LABEL: func.func @bf16(
// CHECK:         %[[A:.*]] = linalg.generic
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
// CHECK:         linalg.matmul ins(%[[A]], %{{.*}} : tensor<16x16xbf16>, tensor<16x8xbf16>)
func.func @bf16(%a: tensor<16x16xf32>, %b: tensor<16x8xbf16>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = linalg.matmul {tts.exact_in = "bf16"} ins(%a, %b : tensor<16x16xf32>, tensor<16x8xbf16>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @tf32(
// CHECK:           arith.extf %{{.*}} : f16 to f32
// CHECK:         linalg.matmul {tts.input_precision = "tf32"} ins(%{{.*}}, %{{.*}} : tensor<16x16xf32>, tensor<16x8xf32>)
func.func @tf32(%a: tensor<16x16xf32>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = linalg.matmul {tts.exact_in = "tf32"} ins(%a, %b : tensor<16x16xf32>, tensor<16x8xf16>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @alike(
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.matmul ins(
func.func @alike(%a: tensor<16x16xf32>, %b: tensor<16x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x8xf32>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
