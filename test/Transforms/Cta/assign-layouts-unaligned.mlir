// Rows that begin anywhere, beside a weight that begins at a multiple of 16 bytes.
// RUN: triton-shared-opt %s --cta-assign-layouts | FileCheck %s

// CHECK-DAG: #[[APART:layout[0-9]*]] = #cta.layout<register = {{\[\[}}32], [64], [128]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = []>
// CHECK-DAG: #[[TOGETHER:layout[0-9]*]] = #cta.layout<register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = []>

// Rows are read and written in each turn, the weight once: neighbours go to neighbouring threads, which read one line together.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: cta.convert_layout
// CHECK: tts.load %arg1{{.*}} -> tensor<256xf16, #[[APART]]>
// CHECK: tts.load %arg0{{.*}} -> tensor<256xf16, #[[APART]]>
// CHECK: return
func.func @rows(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %w: memref<*xf16> {tt.divisibility = 16 : i32}, %n: i32, %stride: i64)
    attributes {cta.num_warps = 1 : i32} {
  %none = arith.constant 0 : i64
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %weight = tts.load %w[%none] strides [1] : memref<*xf16> -> tensor<256xf16>
  %end = scf.for %t = %first to %n step %one iter_args(%at = %none) -> (i64) : i32 {
    %row = tts.load %x[%at] strides [1] : memref<*xf16> -> tensor<256xf16>
    %scaled = arith.mulf %row, %weight : tensor<256xf16>
    tts.store %scaled to %x[%at] strides [1] : tensor<256xf16>, memref<*xf16>
    %next = arith.addi %at, %stride : i64
    scf.yield %next : i64
  }
  return
}

// One row that begins anywhere, beside many accesses that do not.
// CHECK-LABEL: func.func @weights(
// CHECK: tts.load %arg1{{.*}} -> tensor<256xf16, #[[TOGETHER]]>
func.func @weights(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %w: memref<*xf16> {tt.divisibility = 16 : i32}, %n: i32, %at: i64)
    attributes {cta.num_warps = 1 : i32} {
  %none = arith.constant 0 : i64
  %further = arith.constant 256 : i64
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %row = tts.load %x[%at] strides [1] : memref<*xf16> -> tensor<256xf16>
  %end = scf.for %t = %first to %n step %one iter_args(%place = %none) -> (i64) : i32 {
    %weight = tts.load %w[%place] strides [1] : memref<*xf16> -> tensor<256xf16>
    %scaled = arith.mulf %row, %weight : tensor<256xf16>
    tts.store %scaled to %w[%place] strides [1] : tensor<256xf16>, memref<*xf16>
    %next = arith.addi %place, %further : i64
    scf.yield %next : i64
  }
  return
}

// Two neighbours could be loaded at once, but would be stored one by one, in halves of sectors.
// CHECK-LABEL: func.func @gate(
// CHECK: tts.store {{.*}} : tensor<256xf16, #[[APART]]>
func.func @gate(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %o: memref<*xf16> {tt.divisibility = 16 : i32}, %even: i64 {tt.divisibility = 2 : i32}, %at: i64)
    attributes {cta.num_warps = 1 : i32} {
  %a = tts.load %x[%even] strides [1] : memref<*xf16> -> tensor<256xf16>
  %b = tts.load %x[%at] strides [1] : memref<*xf16> -> tensor<256xf16>
  %c = arith.mulf %a, %b : tensor<256xf16>
  tts.store %c to %o[%at] strides [1] : tensor<256xf16>, memref<*xf16>
  return
}
