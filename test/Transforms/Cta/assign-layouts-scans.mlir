// Where a block is scanned, warps take parts that follow one another: whole rows of a scan along them, and the last bits of one across them or of the only dimension.
// RUN: triton-shared-opt %s --cta-assign-layouts --split-input-file | FileCheck %s

// CHECK: #[[COLUMNS:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}16, 0], [32, 0]]>
// CHECK-LABEL: func.func @columns(
// CHECK: tts.load {{.*}} -> tensor<64x128xf32, #[[COLUMNS]]>
func.func @columns(%x: memref<*xf32> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %0 = tts.load %x[%zero] strides [128, 1] : memref<*xf32> -> tensor<64x128xf32>
  %1 = cta.scan %0 axis 0 : (tensor<64x128xf32>) -> tensor<64x128xf32> {
  ^bb0(%a: f32, %b: f32):
    %2 = arith.addf %a, %b : f32
    cta.yield %2 : f32
  }
  tts.store %1 to %x[%zero] strides [128, 1] : tensor<64x128xf32>, memref<*xf32>
  return
}

// -----

// CHECK: #[[ROWS:layout[0-9]*]] = #cta.layout<register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [0, 128], [0, 256]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}4, 0], [8, 0]]>
// CHECK-LABEL: func.func @rows(
// CHECK: tts.load {{.*}} -> tensor<16x512xf32, #[[ROWS]]>
func.func @rows(%x: memref<*xf32> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %0 = tts.load %x[%zero] strides [512, 1] : memref<*xf32> -> tensor<16x512xf32>
  %1 = cta.scan %0 axis 1 : (tensor<16x512xf32>) -> tensor<16x512xf32> {
  ^bb0(%a: f32, %b: f32):
    %2 = arith.addf %a, %b : f32
    cta.yield %2 : f32
  }
  tts.store %1 to %x[%zero] strides [512, 1] : tensor<16x512xf32>, memref<*xf32>
  return
}

// -----

// CHECK: #[[FLAT:layout[0-9]*]] = #cta.layout<register = {{\[\[}}1], [2], [128], [256], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}1024], [2048]]>
// CHECK-LABEL: func.func @flat(
// CHECK: tts.load {{.*}} -> tensor<4096xf32, #[[FLAT]]>
func.func @flat(%x: memref<*xf32> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %0 = tts.load %x[%zero] strides [1] : memref<*xf32> -> tensor<4096xf32>
  %1 = cta.scan %0 axis 0 : (tensor<4096xf32>) -> tensor<4096xf32> {
  ^bb0(%a: f32, %b: f32):
    %2 = arith.addf %a, %b : f32
    cta.yield %2 : f32
  }
  tts.store %1 to %x[%zero] strides [1] : tensor<4096xf32>, memref<*xf32>
  return
}
