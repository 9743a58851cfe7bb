// What belongs to a row is kept by each thread that has a part of it: of many rows, warps take some each.
// RUN: triton-shared-opt %s --cta-assign-layouts | FileCheck %s

// CHECK-DAG: #[[MANY:layout[0-9]*]] = #cta.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 32], [0, 64]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}32, 0], [64, 0]]>
// CHECK-DAG: #[[FEW:layout[0-9]*]] = #cta.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}0, 32], [0, 64]]>

// CHECK-LABEL: func.func @rows(
// CHECK: tts.load {{.*}} -> tensor<128x128xf32, #[[MANY]]>
// CHECK: tts.load {{.*}} -> tensor<16x128xf32, #[[FEW]]>
func.func @rows(%x: memref<*xf32>, %stride: i64) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %0 = tts.load %x[%zero] strides [%stride, 1] : memref<*xf32> -> tensor<128x128xf32>
  tts.store %0 to %x[%zero] strides [%stride, 1] : tensor<128x128xf32>, memref<*xf32>
  %1 = tts.load %x[%zero] strides [%stride, 1] : memref<*xf32> -> tensor<16x128xf32>
  tts.store %1 to %x[%zero] strides [%stride, 1] : tensor<16x128xf32>, memref<*xf32>
  return
}
