// RUN: triton-shared-opt %s --cpu-round-dot-operands | FileCheck %s

// A dot in tf32 sees operands with 10 bits of mantissa, ties to even.
// CHECK-LABEL: func.func @tf32(
// CHECK:         %[[A:.*]] = linalg.generic {{.*}} ins(%arg0
// CHECK:           %[[BITS:.*]] = arith.bitcast
// CHECK:           arith.shrui %[[BITS]]
// CHECK:           arith.andi
// CHECK:           arith.select
// CHECK:         %[[B:.*]] = linalg.generic {{.*}} ins(%arg1
// CHECK:         linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%arg2
func.func @tf32(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul {tts.input_precision = "tf32"} ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>)
         outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Other precisions only approximate f32: the operands stay.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     tts.input_precision
// CHECK:         linalg.batch_matmul ins(%arg0, %arg1
func.func @others(%a: tensor<2x4x8xf32>, %b: tensor<2x8x4xf32>, %c: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %0 = linalg.batch_matmul {tts.input_precision = "bf16x3"}
         ins(%a, %b : tensor<2x4x8xf32>, tensor<2x8x4xf32>) outs(%c : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %0 : tensor<2x4x4xf32>
}

// Smaller types have less than 10 bits anyway.
// CHECK-LABEL: func.func @halves(
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.matmul ins(%arg0, %arg1
func.func @halves(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul {tts.input_precision = "tf32"} ins(%a, %b : tensor<4x8xf16>, tensor<8x4xf16>)
         outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// What is computed as on a GPU has its operands rounded there.
// CHECK-LABEL: func.func @as_on_gpu(
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.matmul {{.*}} ins(%arg0, %arg1
func.func @as_on_gpu(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul {tts.gpu_product = {block = 4 : i64}, tts.input_precision = "tf32"}
         ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
