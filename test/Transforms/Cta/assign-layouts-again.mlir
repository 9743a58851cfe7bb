// RUN: triton-shared-opt %s --cta-assign-layouts | FileCheck %s

// Fewer elements than threads are loaded in each layout that somebody asks for, beside the first load; what is made of indices does not say how tiles are laid out.

// CHECK-DAG: #[[DOWN:layout[0-9]*]] = #cta.layout<register = [], lane = {{\[\[}}0], [0], [0], [1], [2]], warp = {{\[\[}}4], [8]]>
// CHECK-DAG: #[[ACROSS:layout[0-9]*]] = #cta.layout<register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [0], [0]], warp = {{\[\[}}0], [0]]>

// One vector is both a row and a column of a tile.
// CHECK-LABEL: func.func @row_and_column(
// CHECK-NOT:     cta.convert_layout
// CHECK-DAG:     tts.load %arg1{{.*}} -> tensor<16xf32, #[[DOWN]]>
// CHECK-DAG:     tts.load %arg1{{.*}} -> tensor<16xf32, #[[ACROSS]]>
// CHECK-NOT:     cta.convert_layout
// CHECK:         return
func.func @row_and_column(%x: memref<*xf32> {tt.divisibility = 16 : i32}, %v: memref<*xf32> {tt.divisibility = 16 : i32})
    attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %tile = tts.load %x[%zero] strides [16, 1] : memref<*xf32> -> tensor<16x16xf32>
  %vector = tts.load %v[%zero] strides [1] : memref<*xf32> -> tensor<16xf32>
  %column = cta.reshape %vector : tensor<16xf32> -> tensor<16x1xf32>
  %columns = cta.broadcast %column : tensor<16x1xf32> -> tensor<16x16xf32>
  %row = cta.reshape %vector : tensor<16xf32> -> tensor<1x16xf32>
  %rows = cta.broadcast %row : tensor<1x16xf32> -> tensor<16x16xf32>
  %products = arith.mulf %columns, %rows : tensor<16x16xf32>
  %sums = arith.addf %products, %tile : tensor<16x16xf32>
  tts.store %sums to %x[%zero] strides [16, 1] : tensor<16x16xf32>, memref<*xf32>
  return
}

// What may be another number each time is loaded once.
// CHECK-LABEL: func.func @volatile(
// CHECK:         tts.load %arg1
// CHECK-NOT:     tts.load %arg1
// CHECK:         return
func.func @volatile(%x: memref<*xf32> {tt.divisibility = 16 : i32}, %v: memref<*xf32> {tt.divisibility = 16 : i32})
    attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %tile = tts.load %x[%zero] strides [16, 1] : memref<*xf32> -> tensor<16x16xf32>
  %vector = tts.load %v[%zero] strides [1] {is_volatile} : memref<*xf32> -> tensor<16xf32>
  %column = cta.reshape %vector : tensor<16xf32> -> tensor<16x1xf32>
  %columns = cta.broadcast %column : tensor<16x1xf32> -> tensor<16x16xf32>
  %row = cta.reshape %vector : tensor<16xf32> -> tensor<1x16xf32>
  %rows = cta.broadcast %row : tensor<1x16xf32> -> tensor<16x16xf32>
  %products = arith.mulf %columns, %rows : tensor<16x16xf32>
  %sums = arith.addf %products, %tile : tensor<16x16xf32>
  tts.store %sums to %x[%zero] strides [16, 1] : tensor<16x16xf32>, memref<*xf32>
  return
}

// Both tiles are cut by the same rows, and each keeps the layout that its memory asks for.
// CHECK-LABEL: func.func @cut(
// CHECK-NOT:     cta.convert_layout
// CHECK:         return
func.func @cut(%x: memref<*xf32> {tt.divisibility = 16 : i32}, %y: memref<*xf32> {tt.divisibility = 16 : i32}, %n: i64)
    attributes {cta.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %none = arith.constant dense<0.0> : tensor<32x32xf32>
  %places = cta.iota 0 : tensor<32xi64>
  %end = cta.splat %n : tensor<32xi64>
  %inside = arith.cmpi slt, %places, %end : tensor<32xi64>
  %column = cta.reshape %inside : tensor<32xi1> -> tensor<32x1xi1>
  %mask = cta.broadcast %column : tensor<32x1xi1> -> tensor<32x32xi1>
  %a = tts.load %x[%zero] strides [32, 1] : memref<*xf32> -> tensor<32x32xf32>
  %some = arith.select %mask, %a, %none : tensor<32x32xi1>, tensor<32x32xf32>
  tts.store %some to %x[%zero] strides [32, 1] : tensor<32x32xf32>, memref<*xf32>
  %b = tts.load %y[%zero] strides [1, 32] : memref<*xf32> -> tensor<32x32xf32>
  %others = arith.select %mask, %b, %none : tensor<32x32xi1>, tensor<32x32xf32>
  tts.store %others to %y[%zero] strides [1, 32] : tensor<32x32xf32>, memref<*xf32>
  return
}
