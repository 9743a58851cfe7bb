// Elements that are stored wider than they are loaded: a thread holds as many neighbours as one store takes.
// RUN: triton-shared-opt %s --cta-assign-layouts --split-input-file | FileCheck %s

// 16 bytes of what is loaded would be two stores of 16 bytes, each of which writes every other half of a sector.
// CHECK: #[[LAYOUT:layout]] = #cta.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], {{.*}}], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [0, 64], [1, 0]]
// CHECK-LABEL: func.func @to_halves(
// CHECK: tts.load {{.*}} -> tensor<128x128xf8E4M3FN, #[[LAYOUT]]>
// CHECK: tts.store {{.*}} : tensor<128x128xbf16, #[[LAYOUT]]>
func.func @to_halves(%x: memref<*xf8E4M3FN> {tt.divisibility = 16 : i32}, %y: memref<*xbf16> {tt.divisibility = 16 : i32}, %s: f32) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %a = tts.load %x[%zero] strides [128, 1] : memref<*xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
  %b = arith.extf %a : tensor<128x128xf8E4M3FN> to tensor<128x128xf32>
  %c = cta.splat %s : tensor<128x128xf32>
  %d = arith.mulf %b, %c : tensor<128x128xf32>
  %e = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xbf16>
  tts.store %e to %y[%zero] strides [128, 1] : tensor<128x128xbf16>, memref<*xbf16>
  return
}

// -----

// Of two stores, the wider element decides.
// CHECK: #[[LAYOUT:layout]] = #cta.layout<register = {{\[\[}}1], [2], [512], [1024]]
// CHECK-LABEL: func.func @to_both(
// CHECK: tts.load {{.*}} -> tensor<2048xf16, #[[LAYOUT]]>
// CHECK: tts.store {{.*}} : tensor<2048xf32, #[[LAYOUT]]>
// CHECK: tts.store {{.*}} : tensor<2048xf16, #[[LAYOUT]]>
func.func @to_both(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %y: memref<*xf32> {tt.divisibility = 16 : i32}, %z: memref<*xf16> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %a = tts.load %x[%zero] strides [1] : memref<*xf16> -> tensor<2048xf16>
  %b = arith.extf %a : tensor<2048xf16> to tensor<2048xf32>
  tts.store %b to %y[%zero] strides [1] : tensor<2048xf32>, memref<*xf32>
  %c = arith.addf %a, %a : tensor<2048xf16>
  tts.store %c to %z[%zero] strides [1] : tensor<2048xf16>, memref<*xf16>
  return
}

// -----

// What is stored narrower goes by one store as it is.
// CHECK: #[[LAYOUT:layout]] = #cta.layout<register = {{\[\[}}1], [2], [4], [1024]]
// CHECK-LABEL: func.func @to_narrow(
// CHECK: tts.store {{.*}} : tensor<2048xf16, #[[LAYOUT]]>
func.func @to_narrow(%x: memref<*xf32> {tt.divisibility = 16 : i32}, %y: memref<*xf16> {tt.divisibility = 16 : i32}) attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %a = tts.load %x[%zero] strides [1] : memref<*xf32> -> tensor<2048xf32>
  %b = arith.truncf %a : tensor<2048xf32> to tensor<2048xf16>
  tts.store %b to %y[%zero] strides [1] : tensor<2048xf16>, memref<*xf16>
  return
}
