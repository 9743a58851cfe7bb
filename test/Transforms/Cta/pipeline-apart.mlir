// Numbers that lie apart and that a product needs are copied ahead, each by one thread.
// RUN: triton-shared-opt %s --cta-pipeline-loads | FileCheck %s

#a = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #cta.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#columns = #cta.layout<register = [[1], [8]], lane = [[2], [4], [0], [0], [0]], warp = []>
#columns2 = #cta.layout<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = []>

// Who needs them reads them all: each lane four.
// CHECK: #[[APART:.*]] = #cta.layout<register = [], lane = {{\[}}[1], [2], [4], [8], [0]], warp = []>
// CHECK: #[[COLUMNS:.*]] = #cta.layout<register = {{\[}}[1], [8]], lane = {{\[}}[2], [4], [0], [0], [0]]
// CHECK-LABEL: func.func @scales(
// CHECK-SAME: %arg0: {{.*}}, %[[SCALES:[a-z0-9]*]]: memref<*xf32>, %arg2
// CHECK: %[[RING:.*]] = cta.alloc : <3, 16xf32, #{{.*}}>
// CHECK-COUNT-2: tts.load %[[SCALES]][%{{.*}}] strides [5] {{.*}} -> tensor<16xf32, #[[APART]]>
// CHECK: scf.for
// CHECK: cta.copy to %[[RING]]
// CHECK-NEXT: tts.load %[[SCALES]][%{{.*}}] strides [5] {{.*}} -> tensor<16xf32, #[[APART]]>
// CHECK: cta.read %[[RING]][%{{.*}}] [0] : {{.*}} -> tensor<16xf32, #[[COLUMNS]]>
// CHECK-NOT: tts.load
// CHECK: cta.dot
func.func @scales(%left: tensor<16x16xf16, #a>, %scales: memref<*xf32>, %right: tensor<16x16xf16, #b>, %n: i32, %o: memref<*xf32>)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %step = arith.constant 80 : i64
  %sums = arith.constant dense<0.0> : tensor<16x16xf32, #a>
  %r:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %sums, %at = %start) -> (tensor<16x16xf32, #a>, i64) : i32 {
    %scale = tts.load %scales[%at] strides [5] : memref<*xf32> -> tensor<16xf32, #columns>
    %row = tensor.expand_shape %scale [[0, 1]] output_shape [1, 16] : tensor<16xf32, #columns> into tensor<1x16xf32, #columns2>
    %all = cta.broadcast %row : tensor<1x16xf32, #columns2> -> tensor<16x16xf32, #a>
    %scaled = arith.mulf %sum, %all : tensor<16x16xf32, #a>
    %d = cta.dot %left, %right, %scaled : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #a> by #cta.mma<m16n8k16, f16>
    %next = arith.addi %at, %step : i64
    scf.yield %d, %next : tensor<16x16xf32, #a>, i64
  }
  tts.store %r#0 to %o[%start] strides [16, 1] : tensor<16x16xf32, #a>, memref<*xf32>
  return
}

// An instruction that copies moves four bytes or more.
// CHECK-LABEL: func.func @halves(
// CHECK-NOT: cta.alloc
// CHECK: return
func.func @halves(%left: tensor<16x16xf16, #a>, %scales: memref<*xf16>, %right: tensor<16x16xf16, #b>, %n: i32, %o: memref<*xf32>)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %step = arith.constant 80 : i64
  %sums = arith.constant dense<0.0> : tensor<16x16xf32, #a>
  %r:2 = scf.for %t = %zero to %n step %one iter_args(%sum = %sums, %at = %start) -> (tensor<16x16xf32, #a>, i64) : i32 {
    %scale = tts.load %scales[%at] strides [5] : memref<*xf16> -> tensor<16xf16, #columns>
    %row = tensor.expand_shape %scale [[0, 1]] output_shape [1, 16] : tensor<16xf16, #columns> into tensor<1x16xf16, #columns2>
    %all = cta.broadcast %row : tensor<1x16xf16, #columns2> -> tensor<16x16xf16, #a>
    %wide = arith.extf %all : tensor<16x16xf16, #a> to tensor<16x16xf32, #a>
    %scaled = arith.mulf %sum, %wide : tensor<16x16xf32, #a>
    %d = cta.dot %left, %right, %scaled : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #a> by #cta.mma<m16n8k16, f16>
    %next = arith.addi %at, %step : i64
    scf.yield %d, %next : tensor<16x16xf32, #a>, i64
  }
  tts.store %r#0 to %o[%start] strides [16, 1] : tensor<16x16xf32, #a>, memref<*xf32>
  return
}
