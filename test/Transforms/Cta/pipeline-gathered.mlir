// Rows that an index picks are copied ahead: where neighbours share the mask, and with indices that the loop loads itself.
// RUN: triton-shared-opt %s --cta-pipeline-loads | FileCheck %s

#a = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #cta.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
#row = #cta.layout<register = [], lane = [[0], [1], [2], [4], [8]], warp = []>
#flags = #cta.layout<register = [], lane = [[0, 0], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>

// CHECK-LABEL: func.func @masked(
// CHECK-SAME: %arg0: {{.*}}, %arg1: {{.*}}, %[[IS_ROW:arg2]]: tensor<16xi1
// CHECK: %[[MASK:.*]] = cta.broadcast
// CHECK: scf.for
// CHECK: cta.copy to
// CHECK-NEXT: tts.load {{.*}} gather [0] by({{.*}}) mask %[[MASK]]
// CHECK: cta.read
// CHECK-NOT: tts.load
// CHECK: cta.dot
func.func @masked(%p: memref<*xf16> {tt.divisibility = 16 : i32}, %picked: tensor<16xi64, #row>, %is_row: tensor<16xi1, #row>,
                  %right: tensor<16x16xf16, #b>, %n: i32, %apart: i64 {tt.divisibility = 16 : i32}, %o: memref<*xf32>)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %step = arith.constant 16 : i64
  %other = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<16x16xf32, #a>
  %flags = cta.reshape %is_row : tensor<16xi1, #row> -> tensor<16x1xi1, #flags>
  %mask = cta.broadcast %flags : tensor<16x1xi1, #flags> -> tensor<16x16xi1, #rows>
  %r:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %sums, %at = %start) -> (tensor<16x16xf32, #a>, i64) : i32 {
    %x = tts.load %p[%at] strides [%apart, 1] gather [0] by (%picked : tensor<16xi64, #row>) mask %mask : tensor<16x16xi1, #rows> other %other : f16 : memref<*xf16> -> tensor<16x16xf16, #rows>
    %left = cta.convert_layout %x : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %d = cta.dot %left, %right, %sum : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #a> by #cta.mma<m16n8k16, f16>
    %next = arith.addi %at, %step : i64
    scf.yield %d, %next : tensor<16x16xf32, #a>, i64
  }
  tts.store %r#0 to %o[%start] strides [16, 1] : tensor<16x16xf32, #a>, memref<*xf32>
  return
}

// A mask that says something else of each element leaves the load where it is.
// CHECK-LABEL: func.func @spotted(
// CHECK-NOT: cta.copy
// CHECK: return
func.func @spotted(%p: memref<*xf16> {tt.divisibility = 16 : i32}, %picked: tensor<16xi64, #row>, %mask: tensor<16x16xi1, #rows>,
                   %right: tensor<16x16xf16, #b>, %n: i32, %apart: i64 {tt.divisibility = 16 : i32}, %o: memref<*xf32>)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %step = arith.constant 16 : i64
  %other = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : tensor<16x16xf32, #a>
  %r:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %sums, %at = %start) -> (tensor<16x16xf32, #a>, i64) : i32 {
    %x = tts.load %p[%at] strides [%apart, 1] gather [0] by (%picked : tensor<16xi64, #row>) mask %mask : tensor<16x16xi1, #rows> other %other : f16 : memref<*xf16> -> tensor<16x16xf16, #rows>
    %left = cta.convert_layout %x : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %d = cta.dot %left, %right, %sum : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #a> by #cta.mma<m16n8k16, f16>
    %next = arith.addi %at, %step : i64
    scf.yield %d, %next : tensor<16x16xf32, #a>, i64
  }
  tts.store %r#0 to %o[%start] strides [16, 1] : tensor<16x16xf32, #a>, memref<*xf32>
  return
}

// The pages of a turn are asked for under a branch: beyond the end there may be no table.
// CHECK-LABEL: func.func @pages(
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: tts.gather
// CHECK: cta.copy to
// CHECK-NEXT: tts.load {{.*}} gather [0]
// CHECK: cta.dot
func.func @pages(%p: memref<*xf16> {tt.divisibility = 16 : i32}, %table: memref<*xi32>, %offsets: tensor<16xi64, #row>,
                 %right: tensor<16x16xf16, #b>, %n: i32, %apart: i64 {tt.divisibility = 16 : i32}, %o: memref<*xf32>)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %sums = arith.constant dense<0.0> : tensor<16x16xf32, #a>
  %r = scf.for %t = %zero to %n step %one iter_args(%sum = %sums) -> (tensor<16x16xf32, #a>) : i32 {
    %turn = arith.extsi %t : i32 to i64
    %turns = cta.splat %turn : tensor<16xi64, #row>
    %at = arith.addi %offsets, %turns : tensor<16xi64, #row>
    %page = tts.gather %table[%at] : memref<*xi32>, tensor<16xi64, #row> -> tensor<16xi32, #row>
    %picked = arith.extsi %page : tensor<16xi32, #row> to tensor<16xi64, #row>
    %x = tts.load %p[%start] strides [%apart, 1] gather [0] by (%picked : tensor<16xi64, #row>) : memref<*xf16> -> tensor<16x16xf16, #rows>
    %left = cta.convert_layout %x : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %d = cta.dot %left, %right, %sum : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #a> by #cta.mma<m16n8k16, f16>
    scf.yield %d : tensor<16x16xf32, #a>
  }
  tts.store %r to %o[%start] strides [16, 1] : tensor<16x16xf32, #a>, memref<*xf32>
  return
}
