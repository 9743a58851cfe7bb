// Programs that take most turns begin first: they count from the other end of the grid.
// RUN: triton-shared-opt %s --cta-start-longest | FileCheck %s

#c = #cta.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #cta.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #cta.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>

// Turns up to the block's own, then those on the diagonal, which are as many for each.
// CHECK-LABEL: func.func @causal(
// CHECK-SAME: %[[GRID:[a-z0-9]*]]: i32 {tts.parameter = "grid.x"}, %[[PROGRAM:[a-z0-9]*]]: i32 {tts.parameter = "program.x"}
// CHECK: %[[LAST:.*]] = arith.subi %[[GRID]], %
// CHECK: %[[TURNED:.*]] = arith.subi %[[LAST]], %[[PROGRAM]]
// CHECK: arith.muli %[[TURNED]]
// CHECK-NOT: %[[PROGRAM]]
func.func @causal(%x: tensor<16x16xf16, #a>, %y: tensor<16x8xf16, #b>, %z: tensor<16x8xf32, #c>, %gx: i32 {tts.parameter = "grid.x"}, %px: i32 {tts.parameter = "program.x"}) -> tensor<16x8xf32, #c>
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  %begin = arith.muli %px, %size : i32
  %next = arith.addi %px, %one : i32
  %end = arith.muli %next, %size : i32
  %r = scf.for %i = %zero to %begin step %one iter_args(%sum = %z) -> (tensor<16x8xf32, #c>) : i32 {
    %d = cta.dot %x, %y, %sum : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #c> by #cta.mma<m16n8k16, f16>
    scf.yield %d : tensor<16x8xf32, #c>
  }
  %s = scf.for %i = %begin to %end step %one iter_args(%sum = %r) -> (tensor<16x8xf32, #c>) : i32 {
    %d = cta.dot %x, %y, %sum : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #c> by #cta.mma<m16n8k16, f16>
    scf.yield %d : tensor<16x8xf32, #c>
  }
  return %s : tensor<16x8xf32, #c>
}

// A bound that the grid cuts, of programs in y.
// CHECK-LABEL: func.func @in_y(
// CHECK-SAME: %[[X:[a-z0-9]*]]: i32 {tts.parameter = "program.x"}, %[[GRID:[a-z0-9]*]]: i32 {tts.parameter = "grid.y"}, %[[Y:[a-z0-9]*]]: i32 {tts.parameter = "program.y"}
// CHECK: %[[LAST:.*]] = arith.subi %[[GRID]], %
// CHECK: arith.subi %[[LAST]], %[[Y]]
// CHECK: arith.addi %{{.*}}, %[[X]]
func.func @in_y(%x: tensor<16x16xf16, #a>, %y: tensor<16x8xf16, #b>, %z: tensor<16x8xf32, #c>, %n: i32, %px: i32 {tts.parameter = "program.x"}, %gy: i32 {tts.parameter = "grid.y"}, %py: i32 {tts.parameter = "program.y"}) -> (tensor<16x8xf32, #c>, i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %high = arith.addi %py, %one : i32
  %cut = arith.minsi %high, %n : i32
  %r = scf.for %i = %zero to %cut step %one iter_args(%sum = %z) -> (tensor<16x8xf32, #c>) : i32 {
    %d = cta.dot %x, %y, %sum : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #c> by #cta.mma<m16n8k16, f16>
    scf.yield %d : tensor<16x8xf32, #c>
  }
  %other = arith.addi %n, %px : i32
  return %r, %other : tensor<16x8xf32, #c>, i32
}

// The longest come first as it is; one loop shrinks while another grows; all are as long; nobody knows.
// CHECK-LABEL: func.func @longest_first(
// CHECK-NOT: arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: return
func.func @longest_first(%x: tensor<16x16xf16, #a>, %y: tensor<16x8xf16, #b>, %z: tensor<16x8xf32, #c>, %n: i32, %gx: i32 {tts.parameter = "grid.x"}, %px: i32 {tts.parameter = "program.x"}) -> tensor<16x8xf32, #c>
    attributes {cta.num_warps = 1 : i32} {
  %one = arith.constant 1 : i32
  %r = scf.for %i = %px to %n step %one iter_args(%sum = %z) -> (tensor<16x8xf32, #c>) : i32 {
    %d = cta.dot %x, %y, %sum : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #c> by #cta.mma<m16n8k16, f16>
    scf.yield %d : tensor<16x8xf32, #c>
  }
  %zero = arith.constant 0 : i32
  %s = scf.for %i = %zero to %px step %one iter_args(%sum = %r) -> (tensor<16x8xf32, #c>) : i32 {
    %d = cta.dot %x, %y, %sum : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #c> by #cta.mma<m16n8k16, f16>
    scf.yield %d : tensor<16x8xf32, #c>
  }
  return %s : tensor<16x8xf32, #c>
}

// CHECK-LABEL: func.func @as_long(
// CHECK-NOT: arith.subi
// CHECK: return
func.func @as_long(%x: tensor<16x16xf16, #a>, %y: tensor<16x8xf16, #b>, %z: tensor<16x8xf32, #c>, %p: memref<*xi32>, %gx: i32 {tts.parameter = "grid.x"}, %px: i32 {tts.parameter = "program.x"}) -> tensor<16x8xf32, #c>
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %at = arith.extsi %px : i32 to i64
  %n = tts.load %p[%at] strides [] : memref<*xi32> -> i32
  %r = scf.for %i = %zero to %n step %one iter_args(%sum = %z) -> (tensor<16x8xf32, #c>) : i32 {
    %d = cta.dot %x, %y, %sum : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #c> by #cta.mma<m16n8k16, f16>
    scf.yield %d : tensor<16x8xf32, #c>
  }
  return %r : tensor<16x8xf32, #c>
}

// Programs that take a number from memory may wait for those before them.
// CHECK-LABEL: func.func @ordered(
// CHECK-NOT: arith.subi
// CHECK: return
func.func @ordered(%x: tensor<16x16xf16, #a>, %y: tensor<16x8xf16, #b>, %z: tensor<16x8xf32, #c>, %p: memref<*xi32>, %gx: i32 {tts.parameter = "grid.x"}, %px: i32 {tts.parameter = "program.x"}) -> (tensor<16x8xf32, #c>, i32)
    attributes {cta.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %at = arith.constant 0 : i64
  %old = tts.atomic_rmw add relaxed gpu %one at %p[%at] : i32, memref<*xi32>, i64
  %r = scf.for %i = %zero to %px step %one iter_args(%sum = %z) -> (tensor<16x8xf32, #c>) : i32 {
    %d = cta.dot %x, %y, %sum : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #c> by #cta.mma<m16n8k16, f16>
    scf.yield %d : tensor<16x8xf32, #c>
  }
  return %r, %old : tensor<16x8xf32, #c>, i32
}
