// RUN: triton-shared-opt %s --split-input-file --cta-order-accesses | FileCheck %s

// Accesses that have no element in common need no barrier, and what was before a loop is waited for before it.

#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

// A turn begins behind the last element of the one before it. What all threads have read before is written once all have.
// CHECK-LABEL: func.func @rows(
// CHECK:         tts.load
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    scf.for
// CHECK-NOT:     gpu.barrier
// CHECK:         return
func.func @rows(%p: memref<*xf32>, %q: memref<*xf32>, %at: i64, %n: i32) attributes {cta.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %first = tts.load %p[%at] strides [] : memref<*xf32> -> f32
  scf.for %i = %c0 to %n step %c128 : i32 {
    %long = arith.extsi %i : i32 to i64
    %o = arith.addi %at, %long : i64
    %x = tts.load %p[%o] strides [1] : memref<*xf32> -> tensor<128xf32, #layout>
    tts.store %x to %p[%o] strides [1] : tensor<128xf32, #layout>, memref<*xf32>
  }
  tts.store %first to %q[%at] strides [] : f32, memref<*xf32>
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

// One element less, and turns meet.
// CHECK-LABEL: func.func @rows_that_meet(
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK-NEXT:      tts.load
// CHECK-NEXT:      tts.store
func.func @rows_that_meet(%p: memref<*xf32>, %n: i64) attributes {cta.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i64
  %c127 = arith.constant 127 : i64
  scf.for %i = %c0 to %n step %c127 : i64 {
    %x = tts.load %p[%i] strides [1] : memref<*xf32> -> tensor<128xf32, #layout>
    tts.store %x to %p[%i] strides [1] : tensor<128xf32, #layout>, memref<*xf32>
  }
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

// A place that the loop carries, downwards.
// CHECK-LABEL: func.func @carried(
// CHECK-NOT:     gpu.barrier
// CHECK:         return
func.func @carried(%p: memref<*xf32>, %x: tensor<128xf32, #layout>, %at: i64, %n: i64) attributes {cta.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %down = arith.constant -128 : i64
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%o = %at) -> (i64) : i64 {
    tts.store %x to %p[%o] strides [1] : tensor<128xf32, #layout>, memref<*xf32>
    %next = arith.addi %o, %down : i64
    scf.yield %next : i64
  }
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

// Sixteen turns write sixteen columns; a seventeenth would go on in the next row.
// CHECK-LABEL: func.func @columns(
// CHECK:         scf.for
// CHECK-NOT:       gpu.barrier
// CHECK:         scf.for
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      tts.store
func.func @columns(%p: memref<*xf32>, %q: memref<*xf32>, %x: tensor<128xf32, #layout>) attributes {cta.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c17 = arith.constant 17 : i64
  scf.for %i = %c0 to %c16 step %c1 : i64 {
    tts.store %x to %p[%i] strides [16] : tensor<128xf32, #layout>, memref<*xf32>
  }
  scf.for %i = %c0 to %c17 step %c1 : i64 {
    tts.store %x to %q[%i] strides [16] : tensor<128xf32, #layout>, memref<*xf32>
  }
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>

// Halves of rows lie between each other; a column further, they meet.
// CHECK-LABEL: func.func @halves(
// CHECK:         tts.store
// CHECK-NEXT:    tts.store
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.store
func.func @halves(%p: memref<*xf32>, %x: tensor<8x4xf32, #layout>, %at: i64) attributes {cta.num_warps = 1 : i32} {
  %c4 = arith.constant 4 : i64
  %c5 = arith.constant 5 : i64
  %half = arith.addi %at, %c4 : i64
  %more = arith.addi %at, %c5 : i64
  tts.store %x to %p[%at] strides [8, 1] : tensor<8x4xf32, #layout>, memref<*xf32>
  tts.store %x to %p[%half] strides [8, 1] : tensor<8x4xf32, #layout>, memref<*xf32>
  tts.store %x to %p[%more] strides [8, 1] : tensor<8x4xf32, #layout>, memref<*xf32>
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]>

// All warps hold the elements, and one writes them.
// CHECK-LABEL: func.func @held_twice(
// CHECK:         tts.load
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.store
// CHECK-NEXT:    tts.store
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.load
func.func @held_twice(%p: memref<*xf32>, %q: memref<*xf32>, %o: i64) attributes {cta.num_warps = 4 : i32} {
  %x = tts.load %p[%o] strides [1] : memref<*xf32> -> tensor<32xf32, #layout>
  tts.store %x to %p[%o] strides [1] : tensor<32xf32, #layout>, memref<*xf32>
  tts.store %x to %p[%o] strides [1] : tensor<32xf32, #layout>, memref<*xf32>
  %y = tts.load %p[%o] strides [1] : memref<*xf32> -> tensor<32xf32, #layout>
  tts.store %y to %q[%o] strides [1] : tensor<32xf32, #layout>, memref<*xf32>
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

// Updates of one kind come in any order, but for exchanges, of which the last one stays; those that tell others that they have been made do not.
// CHECK-LABEL: func.func @updates(
// CHECK:         tts.atomic_rmw  add  relaxed
// CHECK-NEXT:    tts.atomic_rmw  add  relaxed
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.atomic_rmw  max  relaxed
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.atomic_rmw  max  acq_rel
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.atomic_rmw  exchange  relaxed
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tts.atomic_rmw  exchange  relaxed
func.func @updates(%p: memref<*xi32>, %x: tensor<128xi32, #layout>, %o: tensor<128xi64, #layout>, %r: tensor<128xi64, #layout>) attributes {cta.num_warps = 4 : i32} {
  %0 = tts.atomic_rmw add relaxed gpu %x at %p[%o] : tensor<128xi32, #layout>, memref<*xi32>, tensor<128xi64, #layout>
  %1 = tts.atomic_rmw add relaxed gpu %x at %p[%r] : tensor<128xi32, #layout>, memref<*xi32>, tensor<128xi64, #layout>
  %2 = tts.atomic_rmw max relaxed gpu %x at %p[%o] : tensor<128xi32, #layout>, memref<*xi32>, tensor<128xi64, #layout>
  %3 = tts.atomic_rmw max acq_rel gpu %x at %p[%r] : tensor<128xi32, #layout>, memref<*xi32>, tensor<128xi64, #layout>
  %4 = tts.atomic_rmw exchange relaxed gpu %x at %p[%r] : tensor<128xi32, #layout>, memref<*xi32>, tensor<128xi64, #layout>
  %5 = tts.atomic_rmw exchange relaxed gpu %x at %p[%o] : tensor<128xi32, #layout>, memref<*xi32>, tensor<128xi64, #layout>
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>

// Each turn goes on by as many blocks as there are programs, of which there is one.
// CHECK-LABEL: func.func @by_all_programs(
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @by_all_programs(%p: memref<*xf32>, %rows: i32, %size: i32 {tts.parameter = "grid.x"}, %number: i32 {tts.parameter = "program.x"}) attributes {cta.num_warps = 1 : i32} {
  %block = arith.constant 32 : i64
  %first = arith.extsi %number : i32 to i64
  %programs = arith.extsi %size : i32 to i64
  %begin = arith.muli %first, %block : i64
  %further = arith.muli %programs, %block : i64
  %end = scf.for %row = %number to %rows step %size iter_args(%at = %begin) -> (i64) : i32 {
    %x = tts.load %p[%at] strides [1] : memref<*xf32> -> tensor<32xf32, #layout>
    tts.store %x to %p[%at] strides [1] : tensor<32xf32, #layout>, memref<*xf32>
    %next = arith.addi %at, %further : i64
    scf.yield %next : i64
  }
  return
}

// -----

#layout = #cta.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>

// Half a block further lies what another thread has written.
// CHECK-LABEL: func.func @by_half_a_block(
// CHECK: scf.for
// CHECK-NEXT: gpu.barrier
func.func @by_half_a_block(%p: memref<*xf32>, %rows: i32, %size: i32 {tts.parameter = "grid.x"}, %number: i32 {tts.parameter = "program.x"}) attributes {cta.num_warps = 1 : i32} {
  %half = arith.constant 16 : i64
  %first = arith.extsi %number : i32 to i64
  %programs = arith.extsi %size : i32 to i64
  %begin = arith.muli %first, %half : i64
  %further = arith.muli %programs, %half : i64
  %end = scf.for %row = %number to %rows step %size iter_args(%at = %begin) -> (i64) : i32 {
    %x = tts.load %p[%at] strides [1] : memref<*xf32> -> tensor<32xf32, #layout>
    tts.store %x to %p[%at] strides [1] : tensor<32xf32, #layout>, memref<*xf32>
    %next = arith.addi %at, %further : i64
    scf.yield %next : i64
  }
  return
}
