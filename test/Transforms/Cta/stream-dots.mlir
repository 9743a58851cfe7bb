// Operands of products are read from shared memory step by step.
// RUN: triton-shared-opt %s --cta-stream-dots | FileCheck %s

#rows = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #cta.layout<register = [[1, 0], [8, 0], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#c = #cta.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>

// The left operand has to be exchanged, the right one is in its registers. The
// second step is read before the first product.
// CHECK-LABEL: func.func @steps(
// CHECK-SAME: %[[X:.*]]: tensor<16x32xf16, {{.*}}>, %[[RIGHT:.*]]: tensor<32x8xf16
// CHECK: %[[BUFFER:.*]] = cta.alloc : <1, 16x32xf16
// CHECK: cta.write %[[X]] to %[[BUFFER]]
// CHECK-NOT: cta.convert_layout
// CHECK: %[[A0:.*]] = cta.read %[[BUFFER]][%{{.*}}] [0, 0] : {{.*}} -> tensor<16x16xf16
// CHECK: %[[B0:.*]] = cta.slice %[[RIGHT]] [0, 0] : {{.*}} -> tensor<16x8xf16
// CHECK: %[[A1:.*]] = cta.read %[[BUFFER]][%{{.*}}] [0, 16]
// CHECK: %[[B1:.*]] = cta.slice %[[RIGHT]] [16, 0]
// CHECK: %[[C0:.*]] = cta.dot %[[A0]], %[[B0]], %{{.*}} : tensor<16x16xf16
// CHECK: %[[C1:.*]] = cta.dot %[[A1]], %[[B1]], %[[C0]]
// CHECK: return %[[C1]]
func.func @steps(%x: tensor<16x32xf16, #rows>, %right: tensor<32x8xf16, #b>) -> tensor<16x8xf32, #c> attributes {cta.num_warps = 1 : i32} {
  %sums = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %left = cta.convert_layout %x : tensor<16x32xf16, #rows> -> tensor<16x32xf16, #a>
  %d = cta.dot %left, %right, %sums : tensor<16x32xf16, #a>, tensor<32x8xf16, #b> -> tensor<16x8xf32, #c> by #cta.mma<m16n8k16, f16>
  return %d : tensor<16x8xf32, #c>
}

// All operands are in their registers: there is nothing to read.
// CHECK-LABEL: func.func @registers(
// CHECK: cta.dot {{.*}} : tensor<16x32xf16
// CHECK-NOT: cta.dot
// CHECK: return
func.func @registers(%left: tensor<16x32xf16, #a>, %right: tensor<32x8xf16, #b>) -> tensor<16x8xf32, #c> attributes {cta.num_warps = 1 : i32} {
  %sums = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %d = cta.dot %left, %right, %sums : tensor<16x32xf16, #a>, tensor<32x8xf16, #b> -> tensor<16x8xf32, #c> by #cta.mma<m16n8k16, f16>
  return %d : tensor<16x8xf32, #c>
}

// Before a loop: a small operand is kept, a large one written once and read in
// each turn.
#wide = #cta.layout<register = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0], [0, 128]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = [[2, 0]]>
#large = #cta.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]]>
#deep = #cta.layout<register = [[1, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0]]>
#s = #cta.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]]>
// CHECK-LABEL: func.func @before_a_loop(
// CHECK: %[[BUFFER:.*]] = cta.alloc : <1, 16x256xf16
// CHECK: cta.write %{{.*}} to %[[BUFFER]]
// CHECK: scf.for
// CHECK-COUNT-16: cta.read %[[BUFFER]]
// CHECK: scf.yield
func.func @before_a_loop(%x: tensor<16x256xf16, #wide>, %right: tensor<256x8xf16, #deep>, %n: i32) -> tensor<16x8xf32, #s> attributes {cta.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sums = arith.constant dense<0.0> : tensor<16x8xf32, #s>
  %left = cta.convert_layout %x : tensor<16x256xf16, #wide> -> tensor<16x256xf16, #large>
  %r = scf.for %k = %zero to %n step %one iter_args(%sum = %sums) -> (tensor<16x8xf32, #s>) : i32 {
    %d = cta.dot %left, %right, %sum : tensor<16x256xf16, #large>, tensor<256x8xf16, #deep> -> tensor<16x8xf32, #s> by #cta.mma<m16n8k16, f16>
    scf.yield %d : tensor<16x8xf32, #s>
  }
  return %r : tensor<16x8xf32, #s>
}

// CHECK-LABEL: func.func @small_before_a_loop(
// CHECK: cta.convert_layout
// CHECK: scf.for
// CHECK-NOT: cta.read
// CHECK: return
func.func @small_before_a_loop(%x: tensor<16x32xf16, #rows>, %right: tensor<32x8xf16, #b>, %n: i32) -> tensor<16x8xf32, #c> attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sums = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %left = cta.convert_layout %x : tensor<16x32xf16, #rows> -> tensor<16x32xf16, #a>
  %r = scf.for %k = %zero to %n step %one iter_args(%sum = %sums) -> (tensor<16x8xf32, #c>) : i32 {
    %d = cta.dot %left, %right, %sum : tensor<16x32xf16, #a>, tensor<32x8xf16, #b> -> tensor<16x8xf32, #c> by #cta.mma<m16n8k16, f16>
    scf.yield %d : tensor<16x8xf32, #c>
  }
  return %r : tensor<16x8xf32, #c>
}
