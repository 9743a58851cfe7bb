// What loaded indices say is copied ahead: the indices of the turn that is copied for are loaded before the turn waits.
// RUN: triton-shared-opt %s --cta-pipeline-loads --canonicalize | FileCheck %s

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
#one = #cta.layout<register = [], lane = [[0], [1], [2], [4], [8]], warp = []>
#flat = #cta.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = []>
#a = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #cta.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>

// Each thread loads those that it needs. There are none behind the last turn.
// CHECK-LABEL: func.func @gathered(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<*xf16> {{[^,]*}}, %[[TABLE:[a-z0-9]*]]: memref<*xi64>
// CHECK: %[[RING:.*]] = cta.alloc : <3, 16x16xf16, #{{.*}}>
// CHECK-NOT: cta.alloc
// CHECK: %[[FIRST:.*]] = arith.andi {{.*}} : i1
// CHECK: %[[ROWS:.*]] = scf.if %[[FIRST]] -> (tensor<16xi64, #[[ONE:.*]]>) {
// CHECK-NEXT: tts.load %[[TABLE]]
// CHECK: cta.copy to %[[RING]][%{{.*}}] if %[[FIRST]] : {{.*}} {
// CHECK-NEXT: tts.load %[[X]]{{.*}} gather [0] by(%[[ROWS]]
// CHECK: scf.for
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi ugt, %[[LEFT]]
// CHECK: %[[NEXT:.*]] = scf.if %[[MORE]] -> (tensor<16xi64, #[[ONE]]>) {
// CHECK: } else {
// CHECK-NEXT: scf.yield %{{.*}} : tensor<16xi64
// CHECK: cta.wait 1
// CHECK: cta.copy to %[[RING]][%{{.*}}] if %[[MORE]] : {{.*}} {
// CHECK-NEXT: tts.load %[[X]]{{.*}} gather [0] by(%[[NEXT]]
// CHECK-NOT: tts.load %[[TABLE]]
// CHECK: scf.yield
func.func @gathered(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %table: memref<*xi64>, %n: i32, %right: tensor<16x16xf16, #b>, %o: memref<*xf32>)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %sixteen = arith.constant 16 : i64
  %none = arith.constant 0.0 : f16
  %nothing = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32, #a>
  %r:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros, %at = %start) -> (tensor<16x16xf32, #a>, i64) : i32 {
    %index = tts.load %table[%at] strides [1] : memref<*xi64> -> tensor<16xi64, #flat>
    %needed = cta.convert_layout %index : tensor<16xi64, #flat> -> tensor<16xi64, #one>
    %tile = tts.load %x[%start] strides [16, 1] gather [0] by(%needed : tensor<16xi64, #one>) : memref<*xf16> -> tensor<16x16xf16, #rows>
    %left = cta.convert_layout %tile : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %d = cta.dot %left, %right, %sum : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #a> by #cta.mma<m16n8k16, f16>
    %next = arith.addi %at, %sixteen : i64
    scf.yield %d, %next : tensor<16x16xf32, #a>, i64
  }
  tts.store %r#0 to %o[%start] strides [16, 1] : tensor<16x16xf32, #a>, memref<*xf32>
  return
}

// A turn may have written the indices of the next one.
// CHECK-LABEL: func.func @written(
// CHECK-NOT: cta.alloc
// CHECK: return
func.func @written(%x: memref<*xf16> {tt.divisibility = 16 : i32}, %table: memref<*xi64>, %n: i32, %right: tensor<16x16xf16, #b>, %o: memref<*xf32>, %other: tensor<16xi64, #one>)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %sixteen = arith.constant 16 : i64
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32, #a>
  %r:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %zeros, %at = %start) -> (tensor<16x16xf32, #a>, i64) : i32 {
    %index = tts.load %table[%at] strides [1] : memref<*xi64> -> tensor<16xi64, #one>
    %tile = tts.load %x[%start] strides [16, 1] gather [0] by(%index : tensor<16xi64, #one>) : memref<*xf16> -> tensor<16x16xf16, #rows>
    %left = cta.convert_layout %tile : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %d = cta.dot %left, %right, %sum : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #a> by #cta.mma<m16n8k16, f16>
    %next = arith.addi %at, %sixteen : i64
    tts.store %other to %table[%next] strides [1] : tensor<16xi64, #one>, memref<*xi64>
    scf.yield %d, %next : tensor<16x16xf32, #a>, i64
  }
  tts.store %r#0 to %o[%start] strides [16, 1] : tensor<16x16xf32, #a>, memref<*xf32>
  return
}
