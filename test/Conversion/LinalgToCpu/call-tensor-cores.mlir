// RUN: triton-shared-opt %s --cpu-call-tensor-cores --canonicalize | FileCheck %s

// Addresses, strides and formats of the matrices, sizes, and what the attribute
// says: formats of the instruction, products at once, bits, parts.
// CHECK:       func.func private @tritonSharedTensorCoreDot(
// CHECK-LABEL: func.func @product(
// CHECK-DAG:     %[[F16:.*]] = arith.constant 1 : i32
// CHECK-DAG:     %[[E5M2:.*]] = arith.constant 4 : i32
// CHECK-DAG:     %[[F32:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[BLOCK:.*]] = arith.constant 32 : i32
// CHECK-DAG:     %[[BITS:.*]] = arith.constant 13 : i32
// CHECK-DAG:     %[[PART:.*]] = arith.constant 64 : i32
// CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant 4 : i64
// CHECK:         call @tritonSharedTensorCoreDot(%{{.*}}, %{{.*}}, %{{.*}}, %[[F16]], %{{.*}}, %{{.*}}, %{{.*}}, %[[E5M2]], %{{.*}}, %{{.*}}, %{{.*}}, %[[F32]], %{{.*}}, %[[COLUMNS]], %{{.*}}, %[[F16]], %[[E5M2]], %[[F32]], %[[BLOCK]], %[[BITS]], %[[BITS]], %[[PART]])
// CHECK-NOT:     linalg.matmul
func.func @product(%a: memref<2x8xf16>, %b: memref<8x4xf8E5M2>, %c: memref<2x4xf32>) {
  linalg.matmul {tts.gpu_product = {block = 32, fraction = 13, instruction = "wgmma", left = "f16", part = 64, result = 13, right = "e5m2", sum = "f32"}}
    ins(%a, %b : memref<2x8xf16>, memref<8x4xf8E5M2>) outs(%c : memref<2x4xf32>)
  return
}

// One call for each matrix of a batch.
// CHECK-LABEL: func.func @batch(
// CHECK:         scf.for
// CHECK:           func.call @tritonSharedTensorCoreDot(
func.func @batch(%a: memref<3x2x8xf32>, %b: memref<3x8x4xf32>, %c: memref<3x2x4xf32>) {
  linalg.batch_matmul {tts.gpu_product = {block = 0, fraction = 0, instruction = "fma", left = "f32", part = 0, result = 0, right = "f32", sum = "f32"}}
    ins(%a, %b : memref<3x2x8xf32>, memref<3x8x4xf32>) outs(%c : memref<3x2x4xf32>)
  return
}
